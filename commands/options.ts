import { type Command, globalOptions, textual } from "./_kit/mod.ts";

export const command = {
  summary: "List the flags that every command takes",
  section: "osctl",
  noStep: "it only prints documentation",
  output: "own",
  inputs: {},
  examples: ["options"],
  view: textual((text) => text),
  async *run({ environment }) {
    yield globalOptions(environment.stdout.columns());
  },
} satisfies Command<string>;
