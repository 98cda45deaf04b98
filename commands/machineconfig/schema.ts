import { jsonSchema } from "../../config/documents/json_schema.ts";
import { parseContract, toOsVersion } from "../../config/generate/contract.ts";
import { bytes, type Command, text, toggle, type Values } from "../_kit/mod.ts";
import { outputFileFlag, writeOutput } from "../_kit/output_file.ts";

const inputs = {
  osVersion: text("operating system version the schema is for", {
    shown: "newest known version",
  }),
  patch: toggle("print the schema for patches"),
  output: outputFileFlag,
};

export const command = {
  summary: "Print the JSON Schema of machine configurations",
  description:
    `Editors complete, explain and check configurations with it (JSON Schema, draft 2020-12), in YAML through the YAML
language server: put "# yaml-language-server: $schema=machine.json" in the first line, or name the schema in the
editor's settings.

With --patch, prints the schema for patches: nothing is required, and "$patch" is allowed everywhere. Document kinds of
newer versions are rejected, unlike in the other commands. Rules across several values are not part of the schema;
"validate" checks them.`,
  inputs,
  examples: [
    "machineconfig schema -o machine.json",
    "machineconfig schema --os-version v1.10 --patch -o patch.json",
  ],
  output: "own",
  view: bytes(),
  async *run({ input: { osVersion, patch, output } }) {
    const schema = jsonSchema({
      patch,
      ...(osVersion === undefined
        ? {}
        : { version: toOsVersion(parseContract(osVersion)) }),
    });
    const written = `${JSON.stringify(schema, undefined, 2)}\n`;
    yield* writeOutput(output, written);
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
