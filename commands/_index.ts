/** The commands. Generated from the command files by `deno task index`. */

import type { Entry } from "./_kit/command.ts";

/** Every command and group, by name. */
export const entries: readonly Entry[] = [
  {
    name: "completion",
    summary: "Print the completion script of a shell",
    aliases: [],
    section: "configuration",
    hidden: false,
    group: false,
    load: () => import("./completion.ts"),
  },
  {
    name: "memory",
    summary: "Show memory usage",
    aliases: ["m", "free"],
    section: "node",
    hidden: false,
    group: false,
    load: () => import("./memory.ts"),
  },
  {
    name: "version",
    summary: "Show the version of the client and of the nodes",
    aliases: [],
    section: "node",
    hidden: false,
    group: false,
    load: () => import("./version.ts"),
  },
];
