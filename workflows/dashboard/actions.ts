/** Actions of the dashboard: commands of osctl, typed by a key and confirmed with Enter. */

import type { Page } from "./pages/page.ts";

/** A command that can be typed after `:`. */
export interface DashboardCommand {
  /** Full name: `node drain`. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** True if it acts on the nodes of `--nodes`. */
  readonly takesNodes: boolean;
  /** Values of its first argument that are offered; absent for none. */
  readonly values?: readonly string[] | undefined;
}

interface DashboardAction {
  readonly key: string;
  /** Name for hints, lower case first. */
  readonly text: string;
  /** Type of its subject; `any` for actions of all pages. */
  readonly on: "node" | "service" | "run" | "any";
  /** Command line without `osctl` and the nodes; an empty word at its end is for the user. `subject`: id of a row. */
  readonly words: (subject: string) => readonly string[];
}

/** All actions, in the order of hints. */
export const actions: readonly DashboardAction[] = [
  {
    key: "r",
    text: "restart",
    on: "service",
    words: (service) => ["service", service, "restart"],
  },
  {
    key: "r",
    text: "resume",
    on: "run",
    words: (run) => ["runbook", "resume", run],
  },
  {
    key: "a",
    text: "approve",
    on: "run",
    words: (run) => ["runbook", "approve", run],
  },
  {
    key: "s",
    text: "stop",
    on: "run",
    words: (run) => ["runbook", "stop", run],
  },
  { key: "c", text: "cordon", on: "node", words: () => ["node", "cordon"] },
  { key: "u", text: "uncordon", on: "node", words: () => ["node", "uncordon"] },
  { key: "D", text: "drain", on: "node", words: () => ["node", "drain"] },
  { key: "R", text: "reboot", on: "node", words: () => ["reboot"] },
  { key: "e", text: "edit", on: "node", words: () => ["edit", "--diff"] },
  {
    key: "U",
    text: "upgrade",
    on: "node",
    words: () => ["upgrade", "--to", ""],
  },
  {
    key: "x",
    text: "run a runbook",
    on: "any",
    words: () => ["runbook", "run", ""],
  },
];

/** Commands whose success is said by their exit status. */
const silentCommands = [
  "node cordon",
  "node uncordon",
  "runbook approve",
  "runbook stop",
];

/** True if a command line has nothing to read when it has succeeded. */
export function isSilent(words: readonly string[]): boolean {
  return silentCommands.includes(words.slice(0, 2).join(" "));
}

/** Actions of a page. */
export function pageActions(
  { subject }: Page,
): readonly DashboardAction[] {
  return actions.filter(({ on }) =>
    on === "any" || on === subject || on === "node" && subject !== "run"
  );
}

/** Flags that select nodes. */
const nodeFlag = /^(?:-[nl]|--(?:nodes|selector)(?:=|$))/;

/** Splits a typed command line into words, which may be quoted. */
export function splitWords(text: string): readonly string[] {
  return (text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [])
    .map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

/** Finds the command of a command line by its full name or an alias; the longest name wins. */
export function findCommand(
  words: readonly string[],
  commands: readonly DashboardCommand[],
): DashboardCommand | undefined {
  for (let count = Math.min(words.length, 4); count > 0; count--) {
    const name = words.slice(0, count).join(" ");
    const found = commands.find((one) =>
      one.name === name || one.aliases.includes(name)
    );
    if (found !== undefined) return found;
  }
}

/** The whole command line: with the nodes, unless it selects nodes itself or needs none. `nodes`: with commas. */
export function withNodes(
  words: readonly string[],
  { takesNodes }: DashboardCommand,
  nodes: string,
): readonly string[] {
  return takesNodes && !words.some((word) => nodeFlag.test(word))
    ? [...words, "--nodes", nodes]
    : words;
}
