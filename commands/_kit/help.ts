import type { CommandFile, IndexEntry, Section } from "./command.ts";
import { globals, helpFlag, versionFlag } from "./globals.ts";
import type { Argument, InputText } from "./inputs.ts";
import {
  type AnyInputs,
  display,
  kebab,
  listFlags,
  type NamedFlag,
} from "./parse.ts";
import { clientConfigField } from "../../talos.ts";
import {
  type Layout,
  layOut,
  measureWidths,
  wrap,
} from "../../terminal/table.ts";
import { targetHelp } from "./target_nodes.ts";

/** Headings in the list of commands, and the commands below each. */
const headings: readonly (readonly [
  heading: string,
  includes: (entry: IndexEntry) => boolean,
])[] = [
  ["Inspect nodes", (entry) => findSection(entry) === "node" && !entry.changes],
  [
    "Change nodes",
    (entry) =>
      findSection(entry) === "change" ||
      findSection(entry) === "node" && !!entry.changes,
  ],
  ["Manage CAs", (entry) => findSection(entry) === "ca"],
  [
    "Run runbooks and resume operations",
    (entry) => findSection(entry) === "runbook",
  ],
  [
    "Prepare configurations and images",
    (entry) => findSection(entry) === "configuration",
  ],
  ["Create local clusters", (entry) => findSection(entry) === "cluster"],
  ["Learn about osctl", (entry) => findSection(entry) === "osctl"],
];

/** Headings in the lists of some groups, and the names of the commands below each, in the order of their use. */
const groupHeadings: Readonly<
  Record<string, readonly (readonly [heading: string, names: string])[]>
> = {
  "cluster create": [["Commands", "embedded docker qemu"]],
  runbook: [
    ["Run a runbook", "list show plan rehearse run run-or-resume resume"],
    [
      "Watch and control runs",
      "status watch events approve skip stop abort unlock history gc fleet-report",
    ],
    [
      "Write runbooks",
      "new check explain schema types trust render",
    ],
  ],
};

const optionsLine =
  `Run "osctl options" for the flags that every command takes\n`;

/** Text for the program name alone: first steps. */
export function welcome(): string {
  const start = [
    [`config merge ./${clientConfigField}`, "add the clusters you manage"],
    ["health", "check the cluster of the current context"],
    ["get members", "list its nodes"],
    ["logs kubelet --nodes @workers", "read logs of several nodes at once"],
    ["runbook list", "list procedures: upgrades, CA rotation, etcd recovery"],
  ];
  const simulated = [
    ["cluster create embedded", "create a simulated cluster on this machine"],
  ];
  const shown = [...start, ...simulated].map(([line, what = ""]) => [
    `  osctl ${line}`,
    what,
  ]);
  const rows = layOut(shown, { gap: 3 }).text.split("\n");
  return `osctl manages Kubernetes nodes through their node API

Start here:
${rows.slice(0, start.length).join("\n")}

Without a cluster:
${rows.slice(start.length).join("\n")}
Run "osctl --help" for all commands, "osctl <command> --help" for one of them
`;
}

/** The list of all commands. `columns`: width of the terminal; omitted for no limit. */
export function overview(
  entries: readonly IndexEntry[],
  columns?: number,
): string {
  const sections = headings.map(([heading, includes]) => {
    const shown = topLevel(entries).filter(includes);
    return section(heading, formatEntries(shown, columns));
  }).filter((text) => text !== "");
  return `osctl manages Kubernetes nodes through their node API

Usage:
  osctl [flags] <command> [arguments] [flags]

${sections.join("\n")}
Run "osctl <command> --help" for one command
${optionsLine}`;
}

/** Flags of every command. */
export function globalOptions(columns?: number): string {
  const flags = listFlags(globals, helpFlag, versionFlag);
  return `Flags that every command takes, before or after its name:\n${
    flagList(flags, columns)
  }`;
}

function findSection({ section = "node" }: IndexEntry): Section {
  return section;
}

/**
 * The help page of one command or group.
 *
 * @param file Exports of the command file; omitted for a bare group.
 * @param inputs All inputs of the command, including common ones.
 * @param columns Width of the terminal; omitted for no limit.
 */
export function page(
  entry: IndexEntry,
  file: CommandFile | undefined,
  entries: readonly IndexEntry[],
  inputs: AnyInputs,
  columns?: number,
): string {
  const command = file?.command;
  const inside = entries.filter((other) =>
    !other.hidden && other.name.startsWith(`${entry.name} `)
  );
  // The commands of a group inside are on its own page.
  const below = inside.filter(({ name }) =>
    !inside.some((one) => one.group && name.startsWith(`${one.name} `))
  );
  const flags = listFlags(inputs).filter(({ flag }) => !flag.hidden);
  const parts = [
    `${entry.summary}\n`,
    ...(command?.description
      ? [`${paragraphs(command.description, columns)}\n`]
      : []),
    `Usage:\n  ${usageLine(entry, command ? inputs : undefined)}\n`,
    section("Aliases", lines(entry.aliases)),
    section("Arguments", argumentList(inputs, columns)),
    ...groupSections(entry, below, columns),
    section("Nodes", file === undefined ? "" : targetList(file, columns)),
    section("Flags", flagList(flags, columns)),
    section("Examples", lines(command?.examples, "osctl ")),
    optionsLine,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** The usage line. `inputs`: its inputs; omitted for a bare group. */
export function usageLine(
  entry: IndexEntry,
  inputs: AnyInputs | undefined,
): string {
  if (inputs === undefined) return `osctl ${entry.name} <command>`;
  const places = Object.entries(inputs).flatMap(([key, input]) =>
    input.role === "argument" ? [place(kebab(key), input)] : []
  );
  const flags = listFlags(inputs).filter(({ flag }) => flag.required).map((
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

/** Visible commands and groups without a parent. */
export function topLevel(entries: readonly IndexEntry[]): IndexEntry[] {
  return entries.filter(({ name, hidden }) => !hidden && !name.includes(" "));
}

/** The commands of a group, below headings if there are many. */
function groupSections(
  { name }: IndexEntry,
  below: readonly IndexEntry[],
  columns: number | undefined,
): readonly string[] {
  const headings = groupHeadings[name];
  if (headings === undefined) {
    return [section("Commands", formatEntries(below, columns))];
  }
  const widths = measureWidths(below.map((one) => [`  ${one.name}`]));
  return headings.map(([heading, names]) => {
    const shown = names.split(" ").flatMap((word) =>
      below.filter((one) => one.name === `${name} ${word}`)
    );
    return section(heading, formatEntries(shown, columns, { widths }));
  });
}

function formatEntries(
  entries: readonly IndexEntry[],
  columns?: number,
  before?: Layout,
): string {
  return layOut(
    entries.map(({ name, summary }) => [`  ${name}`, summary]),
    { gap: 3, columns },
    before,
  ).text;
}

function argumentList(inputs: AnyInputs, columns?: number): string {
  const rows = Object.entries(inputs).flatMap(([key, input]) =>
    input.role === "argument"
      ? [[`  <${kebab(key)}>`, formatMeaning(input)]]
      : []
  );
  return layOut(rows, { gap: 3, columns }).text;
}

function targetList(file: CommandFile, columns?: number): string {
  const rows = targetHelp(file).map(([heading, text]) => [
    `  ${heading}`,
    text,
  ]);
  return layOut(rows, { gap: 3, columns }).text;
}

function flagList(flags: readonly NamedFlag[], columns?: number): string {
  const rows = flags.filter(({ flag }) => !flag.hidden).map((named) => {
    const { flag } = named;
    const name = `${flag.short ? "" : "    "}${display(named)}`;
    return [
      `  ${name}${flag.type === "" ? "" : ` ${flag.type}`}`,
      formatMeaning(flag),
    ];
  });
  return layOut(rows, { gap: 3, columns }).text;
}

/** Description of an input with its choices and default, each once. */
export function formatMeaning(
  input: InputText & {
    readonly shown?: string;
    readonly deprecated?: string;
  },
): string {
  const { summary, shown = "", deprecated } = input;
  const words = unnamedChoices(input);
  const notes = [
    ...words.length === 0 ? [] : [`one of ${words.join(", ")}`],
    ...shown === "" ? [] : [`default ${shown}`],
  ];
  const about = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  const old = deprecated === undefined ? "" : ` (deprecated: ${deprecated})`;
  return `${summary}${about}${old}`;
}

/**
 * Choices of an input, for its help.
 *
 * @returns Empty if it accepts any value, or its summary names all of them.
 */
export function unnamedChoices(
  { summary, choices = [] }: InputText,
): readonly string[] {
  const named = new Set(summary.split(/[^\w-]+/));
  const words = choices.map((word) => word.replace(/=$/, ""));
  return words.every((word) => named.has(word)) ? [] : words;
}

/** Wraps paragraphs; keeps indented lines as they are. */
function paragraphs(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text.split("\n\n").map((paragraph) =>
    /^ /m.test(paragraph)
      ? paragraph
      : wrap(paragraph.replaceAll("\n", " "), columns).join("\n")
  ).join("\n\n");
}
