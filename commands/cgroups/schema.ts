import { columnsSchema } from "../_cgroups/schema_file.ts";
import { bytes, type Command, type Values } from "../_kit/mod.ts";
import { outputFileFlag, writeOutput } from "../_kit/output_file.ts";

const inputs = {
  output: outputFileFlag,
};

export const command = {
  summary: "Print the JSON Schema of column files",
  description:
    `Describes every key of the file that "cgroups --schema-file" takes (JSON Schema, draft 2020-12). Editors complete,
explain and check such files with it: put "# yaml-language-server: $schema=cgroups.schema.json" in the first line.`,
  inputs,
  examples: ["cgroups schema -o cgroups.schema.json"],
  output: "own",
  noStep: "it is for editors",
  view: bytes(),
  async *run({ input: { output } }) {
    const schema = `${JSON.stringify(columnsSchema, null, 2)}\n`;
    yield* writeOutput(output, schema);
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
