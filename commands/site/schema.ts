import { bytes, type Command, type Values } from "../_kit/mod.ts";
import { outputFileFlag, writeOutput } from "../_kit/output_file.ts";
import { siteSchemaText } from "./_site.ts";

const inputs = { output: outputFileFlag };

export const command = {
  summary: "Print the JSON Schema of site.yaml",
  description:
    `Editors complete, explain and check the file with it (JSON Schema, draft 2020-12), through the YAML language server:
put "# yaml-language-server: $schema=site.schema.json" in the first line.`,
  inputs,
  examples: ["site schema -o site.schema.json"],
  output: "own",
  view: bytes(),
  async *run({ input: { output } }) {
    yield* writeOutput(output, siteSchemaText());
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
