/**
 * Generates `docs/reference/`, `docs/runbooks/reference/` and `docs/man/` from the commands, and the types next to the
 * cookbook's TypeScript runbook; `--check` only compares.
 */

import type { CommandFile, IndexEntry } from "../../commands/_kit/command.ts";
import { globals } from "../../commands/_kit/globals.ts";
import { unnamedChoices, usageLine } from "../../commands/_kit/help.ts";
import type { InputText } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { manPages } from "../../commands/_kit/man.ts";
import {
  type AnyInputs,
  display,
  kebab,
  listFlags,
  type NamedFlag,
} from "../../commands/_kit/parse.ts";
import { targetHelp } from "../../commands/_kit/target_nodes.ts";
import { documentTopics } from "../../config/documents/kinds.ts";
import { v1alpha1 } from "../../config/documents/v1alpha1/top.ts";
import { exitStatus } from "../../errors.ts";
import { referenceEntries } from "../../commands/_kit/runbook_reference.ts";
import types from "../../workflows/runbooks/language/typescript/api.d.ts" with {
  type: "text",
};
import { documentPages } from "./documents.ts";
import { runbookPages } from "./runbooks.ts";
import { escape, formatTable, notice } from "./markdown.ts";

/**
 * Generates the pages of the reference.
 *
 * @param entries The index.
 * @returns Text by file name, including `README.md`.
 */
export async function pages(
  entries: readonly IndexEntry[],
): Promise<ReadonlyMap<string, string>> {
  const shown = entries.filter(({ hidden }) => !hidden);
  const tops = shown.filter(({ name }) => !name.includes(" "));
  const made = new Map<string, string>();
  for (const top of tops) {
    const family = shown.filter(({ name }) =>
      name === top.name || name.startsWith(`${top.name} `)
    );
    const parts = await Promise.all(family.map(chapter));
    made.set(`${top.name}.md`, `${notice}\n${parts.join("\n")}`);
  }
  made.set("README.md", contents(tops));
  return made;
}

function contents(tops: readonly IndexEntry[]): string {
  const list = tops.map(({ name, summary }) =>
    `| [${name}](${name}.md) | ${summary} |`
  );
  const statuses = Object.entries(exitStatus).map(([name, status]) =>
    `| ${status} | ${name} |`
  );
  return `${notice}
# Reference

${formatTable(["Command", "Description"], list)}
For what runbooks can name, see the [runbook reference](../runbooks/reference/README.md).
For the keys of machine configurations, see the [main document](v1alpha1.md) and [other documents](documents.md).

## Global flags

Global flags go before or after the command.

${flagTable(listFlags(globals))}
## Exit statuses

${formatTable(["Status", "Name"], statuses)}`;
}

async function chapter(entry: IndexEntry): Promise<string> {
  const file = await entry.load?.();
  const command = file?.command;
  const inputs = file === undefined ? undefined : allInputs(file.command, file);
  const aliases = (entry.aliases ?? []).map((one) => `\`${one}\``).join(", ");
  const level = entry.name.includes(" ") ? "##" : "#";
  return [
    `${level} osctl ${entry.name}\n`,
    `${entry.summary}.\n`,
    command?.description ? `${command.description}\n` : "",
    `\`\`\`text\n${usageLine(entry, inputs)}\n\`\`\`\n`,
    aliases === "" ? "" : `Also known as ${aliases}.\n`,
    inputs === undefined ? "" : details(inputs, file),
  ].filter((part) => part !== "").join("\n");
}

function details(inputs: AnyInputs, file: CommandFile | undefined): string {
  const places = Object.entries(inputs).flatMap(([key, input]) =>
    input.role === "argument"
      ? [
        `| \`${kebab(key)}\` | ${escape(input.summary)}${choices(input)} |`,
      ]
      : []
  );
  const targets = (file === undefined ? [] : targetHelp(file)).map((
    [heading, text],
  ) => `| ${heading} | ${escape(text)} |`);
  const examples = (file?.command.examples ?? []).map((line) =>
    `osctl ${line}`
  );
  return [
    formatTable(["Argument", "Meaning"], places),
    formatTable(["Nodes", ""], targets),
    flagTable(listFlags(inputs)),
    examples.length > 0 ? `\`\`\`sh\n${examples.join("\n")}\n\`\`\`\n` : "",
  ].filter((part) => part !== "").join("\n");
}

function flagTable(flags: readonly NamedFlag[]): string {
  const rows = flags.filter(({ flag }) => !flag.hidden).map((named) => {
    const { flag } = named;
    const old = flag.deprecated ? ` (deprecated: ${flag.deprecated})` : "";
    return `| \`${display(named)}\` | ${flag.type || "bool"} | ${
      flag.shown === "" ? "" : `\`${escape(flag.shown)}\``
    } | ${escape(flag.summary)}${choices(flag)}${escape(old)} |`;
  });
  return formatTable(["Flag", "Type", "Default", "Meaning"], rows);
}

function choices(input: InputText): string {
  const words = unnamedChoices(input).map((word) => `\`${word}\``);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

async function write(
  folder: URL,
  made: ReadonlyMap<string, string>,
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for await (const { name } of Deno.readDir(folder)) {
    if (!made.has(name)) await Deno.remove(new URL(name, folder));
  }
  for (const [name, text] of made) {
    await Deno.writeTextFile(new URL(name, folder), text);
  }
}

/**
 * Finds stale pages.
 *
 * @param folder Folder of the pages, with a trailing slash.
 * @param made The expected pages.
 * @returns Names of missing, changed and extra pages.
 */
export async function stale(
  folder: URL,
  made: ReadonlyMap<string, string>,
): Promise<string[]> {
  const names = new Set(made.keys());
  for await (const { name } of Deno.readDir(folder)) names.add(name);
  const wrong: string[] = [];
  for (const name of names) {
    const old = await Deno.readTextFile(new URL(name, folder)).catch(() => "");
    if (old !== made.get(name)) wrong.push(name);
  }
  return wrong.sort();
}

if (import.meta.main) {
  const { entries } = await import("../../commands/_index.ts");
  const reference = new Map([
    ...await pages(entries),
    ...documentPages(v1alpha1, documentTopics),
  ]);
  const folders = {
    reference,
    "runbooks/reference": runbookPages(await referenceEntries(entries)),
    man: await manPages(entries),
  };
  for (const [name, made] of Object.entries(folders)) {
    const folder = new URL(`../../docs/${name}/`, import.meta.url);
    if (Deno.args.includes("--check")) {
      const wrong = await stale(folder, made);
      if (wrong.length > 0) {
        throw new Error(
          `docs/${name} is stale, run "deno task docs": ${wrong}`,
        );
      }
    } else await write(folder, made);
  }
  const path = "docs/runbooks/cookbook/osctl-runbook.d.ts";
  const copy = new URL(`../../${path}`, import.meta.url);
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(copy, types);
  else if (await Deno.readTextFile(copy).catch(() => "") !== types) {
    throw new Error(`${path} is stale, run "deno task docs"`);
  }
}
