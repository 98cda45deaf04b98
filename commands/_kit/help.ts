/** Help pages, made from declarations. */

import type { CommandFile, IndexEntry, Section } from "./command.ts";
import { globals } from "./globals.ts";
import type { Argument } from "./inputs.ts";
import {
  type AnyInputs,
  display,
  flagsOf,
  kebab,
  type NamedFlag,
} from "./parse.ts";
import { layOut } from "../../terminal/table.ts";
import { targetHelp } from "./target_nodes.ts";

const headings: Readonly<Record<Section, string>> = {
  node: "Commands that act on nodes",
  configuration: "Commands for configuration",
  cluster: "Commands for clusters and runbooks",
};

/** The list of all commands. */
export function overview(entries: readonly IndexEntry[]): string {
  const sections = (Object.keys(headings) as Section[]).map((section) => {
    const shown = topLevel(entries).filter((entry) =>
      (entry.section ?? "node") === section
    );
    return shown.length === 0
      ? ""
      : `${headings[section]}:\n${listed(shown)}\n`;
  });
  return `osctl manages Kubernetes nodes through their node API

Usage:
  osctl [flags] <command> [arguments] [flags]

${sections.join("")}Global flags:
${flagList(flagsOf(globals))}
Run "osctl <command> --help" for one command
`;
}

/**
 * The help page of one command or group.
 *
 * @param file What the command's file exports; omitted for a bare group.
 * @param inputs All inputs of the command, those of the kit among them.
 */
export function page(
  entry: IndexEntry,
  file: CommandFile | undefined,
  entries: readonly IndexEntry[],
  inputs: AnyInputs,
): string {
  const command = file?.command;
  const below = entries.filter((other) =>
    !other.hidden && other.name.startsWith(`${entry.name} `)
  );
  const flags = flagsOf(inputs).filter(({ flag }) => !flag.hidden);
  const parts = [
    `${entry.summary}\n`,
    ...(command?.description ? [`${command.description}\n`] : []),
    `Usage:\n  ${usageLine(entry, command ? inputs : undefined)}\n`,
    section("Aliases", lines(entry.aliases)),
    section("Arguments", argumentList(inputs)),
    section("Commands", listed(below)),
    section("Nodes", file === undefined ? "" : targetList(file)),
    section("Flags", flagList(flags)),
    section("Examples", lines(command?.examples, "osctl ")),
    section("Global flags", flagList(flagsOf(globals))),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** What to type, in one line. `inputs`: its inputs; omitted for a bare group. */
export function usageLine(
  entry: IndexEntry,
  inputs: AnyInputs | undefined,
): string {
  if (inputs === undefined) return `osctl ${entry.name} <command>`;
  const places = Object.entries(inputs).flatMap(([key, input]) =>
    input.role === "argument" ? [place(kebab(key), input)] : []
  );
  const flags = flagsOf(inputs).filter(({ flag }) => flag.required).map((
    { name, flag },
  ) => `--${name} ${flag.type}`);
  return ["osctl", entry.name, ...places, ...flags, "[flags]"].join(" ");
}

function place(name: string, { least, most }: Argument<unknown>): string {
  const more = most > 1 ? "..." : "";
  return least === 0 ? `[<${name}>${more}]` : `<${name}>${more}`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `${title}:\n${body}`;
}

function lines(texts: readonly string[] = [], before = ""): string {
  return texts.map((text) => `  ${before}${text}\n`).join("");
}

function topLevel(entries: readonly IndexEntry[]): IndexEntry[] {
  return entries.filter(({ name, hidden }) => !hidden && !name.includes(" "));
}

function listed(entries: readonly IndexEntry[]): string {
  return layOut(
    entries.map(({ name, summary }) => [`  ${name}`, summary]),
    { gap: 3 },
  ).text;
}

function argumentList(inputs: AnyInputs): string {
  const rows = Object.entries(inputs).flatMap(([key, input]) =>
    input.role === "argument"
      ? [[`  <${kebab(key)}>`, withChoices(input.summary, input.choices)]]
      : []
  );
  return layOut(rows, { gap: 3 }).text;
}

function targetList(file: CommandFile): string {
  const rows = targetHelp(file).map(([heading, text]) => [
    `  ${heading}`,
    text,
  ]);
  return layOut(rows, { gap: 3 }).text;
}

function flagList(flags: readonly NamedFlag[]): string {
  const rows = flags.filter(({ flag }) => !flag.hidden).map((named) => {
    const { flag } = named;
    const name = `${flag.short ? "" : "    "}${display(named)}`;
    const shown = flag.shown === "" ? "" : ` (default ${flag.shown})`;
    const old = flag.deprecated ? ` (deprecated: ${flag.deprecated})` : "";
    return [
      `  ${name}${flag.type === "" ? "" : ` ${flag.type}`}`,
      `${flag.summary}${shown}${old}`,
    ];
  });
  return layOut(rows, { gap: 3 }).text;
}

function withChoices(
  summary: string,
  choices: readonly string[] | undefined,
): string {
  return choices === undefined ? summary : `${summary}: ${choices.join(", ")}`;
}
