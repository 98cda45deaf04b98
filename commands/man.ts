import { UsageError } from "../errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { manPage } from "./_kit/man.ts";
import {
  type Command,
  optionalWord,
  textual,
  type Values,
} from "./_kit/mod.ts";

const inputs = {
  name: optionalWord("command or group; default osctl itself", {
    complete: "commands",
  }),
};

export const command = {
  summary: "Print a manual page",
  description:
    `Prints the page in roff, for man. The page of a group includes its commands.`,
  section: "osctl",
  noStep: "it only prints documentation",
  output: "own",
  inputs,
  examples: ["man", "man reboot | man -l -"],
  view: textual((page) => page),
  async *run({ input: { name }, commands }) {
    const tops = commands.filter((entry) =>
      !entry.hidden && !entry.name.includes(" ")
    );
    const top = tops.find((entry) =>
      entry.name === name || entry.aliases?.includes(name ?? "")
    );
    if (name !== undefined && top === undefined) {
      const near = nearest(name, tops.map((entry) => entry.name));
      throw new UsageError(`There is no manual page "${name}"`, {
        hint: near === undefined
          ? 'Run "osctl --help" for the list of commands'
          : `Did you mean "${near}"?`,
      });
    }
    yield await manPage(commands, top?.name);
  },
} satisfies Command<string, Values<typeof inputs>>;
