import { exitStatus } from "../../errors.ts";
import { release } from "../../release.ts";
import type { CommandFile, IndexEntry } from "./command.ts";
import { globals, helpFlag } from "./globals.ts";
import { formatMeaning, topLevel, usageLine } from "./help.ts";
import { allInputs } from "./main.ts";
import { display, kebab, listFlags, type NamedFlag } from "./parse.ts";
import { targetHelp } from "./target_nodes.ts";

/**
 * Creates the man pages of all commands; a group and its commands share one.
 *
 * @returns Text by file name: `osctl.1`, `osctl-etcd.1`.
 */
export async function manPages(
  entries: readonly IndexEntry[],
): Promise<ReadonlyMap<string, string>> {
  const tops = topLevel(entries);
  const pages = await Promise.all(
    tops.map(async ({ name }) =>
      [`osctl-${name}.1`, await manPage(entries, name)] as const
    ),
  );
  return new Map([["osctl.1", await manPage(entries)], ...pages]);
}

/**
 * Creates one man page.
 *
 * @param name Command or group at the top, by its full name; omitted for the program.
 */
export async function manPage(
  entries: readonly IndexEntry[],
  name?: string,
): Promise<string> {
  if (name === undefined) return overviewPage(topLevel(entries));
  const family = entries.filter((entry) =>
    !entry.hidden && (entry.name === name || entry.name.startsWith(`${name} `))
  );
  const chapters = await Promise.all(family.map(async (entry, i) => {
    const file = await entry.load?.();
    return i === 0 ? main(entry, file) : subcommand(entry, file);
  }));
  return [
    title(`osctl-${name}`),
    `.SH NAME\nosctl\\-${escape(name)} \\- ${
      escape(family[0]?.summary ?? "")
    }\n`,
    ...chapters,
    `.SH SEE ALSO\n.BR osctl (1)\n`,
  ].join("");
}

function overviewPage(tops: readonly IndexEntry[]): string {
  const commands = tops.map(({ name, summary }) =>
    `.TP\n.BR osctl\\-${escape(name)} (1)\n${escape(summary)}\n`
  );
  const statuses = Object.entries(exitStatus).map(([name, status]) =>
    `.TP\n.B ${status}\n${escape(name)}\n`
  );
  return [
    title("osctl"),
    ".SH NAME\nosctl \\- manage Kubernetes nodes through their node API\n",
    ".SH SYNOPSIS\n.B osctl\n[flags] <command> [arguments] [flags]\n",
    `.SH COMMANDS\n${commands.join("")}`,
    `.SH OPTIONS\nEvery command takes these flags, before or after its name.\n${
      flagList(listFlags(globals, helpFlag))
    }`,
    `.SH EXIT STATUS\n${statuses.join("")}`,
  ].join("");
}

function main(entry: IndexEntry, file: CommandFile | undefined): string {
  const inputs = file && allInputs(file.command, file);
  return [
    `.SH SYNOPSIS\n${escape(usageLine(entry, inputs))}\n`,
    formatDescription(entry, file, ".SH DESCRIPTION\n"),
    details(file, ".SH"),
  ].join("");
}

function subcommand(entry: IndexEntry, file: CommandFile | undefined): string {
  const inputs = file && allInputs(file.command, file);
  return [
    `.SH osctl ${escape(entry.name)}\n`,
    `${escape(entry.summary)}.\n.PP\n.B ${escape(usageLine(entry, inputs))}\n`,
    formatDescription(entry, file, ".PP\n"),
    details(file, ".SS"),
  ].join("");
}

function formatDescription(
  { aliases = [] }: IndexEntry,
  file: CommandFile | undefined,
  before: string,
): string {
  const text = file?.command.description;
  const also = aliases.length === 0
    ? []
    : [`Also known as ${aliases.join(", ")}.`];
  const parts = [...text === undefined ? [] : text.split("\n\n"), ...also];
  const shown = parts.map((part) =>
    // Indented text is preformatted.
    /^ /m.test(part) ? `.nf\n${escape(part)}\n.fi\n` : `${escape(part)}\n`
  );
  return shown.length === 0 ? "" : before + shown.join(".PP\n");
}

function details(
  file: CommandFile | undefined,
  level: ".SH" | ".SS",
): string {
  if (file === undefined) return "";
  const inputs = allInputs(file.command, file);
  const places = Object.entries(inputs).flatMap(([key, input]) =>
    input.role === "argument"
      ? [item(`<${kebab(key)}>`, formatMeaning(input))]
      : []
  );
  const targets = targetHelp(file).map(([what, text]) => item(what, text));
  const examples = (file.command.examples ?? []).map((line) =>
    `osctl ${escape(line)}\n`
  );
  return [
    section(level, "Arguments", places.join("")),
    section(level, "Nodes", targets.join("")),
    section(level, "Options", flagList(listFlags(inputs))),
    section(
      level,
      "Examples",
      examples.length === 0 ? "" : `.nf\n${examples.join("")}.fi\n`,
    ),
  ].join("");
}

function section(level: string, heading: string, body: string): string {
  const shown = level === ".SH" ? heading.toUpperCase() : heading;
  return body === "" ? "" : `${level} ${shown}\n${body}`;
}

function flagList(flags: readonly NamedFlag[]): string {
  return flags.filter(({ flag }) => !flag.hidden).map((named) => {
    const { flag } = named;
    const type = flag.type === "" ? "" : ` ${flag.type}`;
    return item(`${display(named)}${type}`, formatMeaning(flag));
  }).join("");
}

function item(what: string, meaning: string): string {
  return `.TP\n.B ${escape(what)}\n${escape(meaning)}\n`;
}

function title(name: string): string {
  return `.TH ${name.toUpperCase()} 1 "" "osctl ${
    release.tag.replace(/-.*/, "")
  }"\n.nh\n.ad l\n`;
}

/** Escapes roff requests and escapes. */
function escape(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}
