import { bytes, type Command, type Values } from "../_kit/mod.ts";
import { outputFileFlag, writeOutput } from "../_kit/output_file.ts";
import { schemaText } from "../_runbook/load_options.ts";

const inputs = {
  output: outputFileFlag,
};

export const command = {
  summary: "Print the JSON Schema of runbooks",
  description:
    `Editors complete, explain and check runbooks with it (JSON Schema, draft 2020-12), in YAML through the YAML language
server: put "# yaml-language-server: $schema=runbook.schema.json" in the first line. It knows every module and check
of this version with its inputs. Rules across several values are not part of the schema; "runbook check" checks them.`,
  inputs,
  examples: ["runbook schema -o runbook.schema.json"],
  output: "own",
  view: bytes(),
  async *run({ input: { output }, commands }) {
    const schema = await schemaText(commands);
    yield* writeOutput(output, schema);
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
