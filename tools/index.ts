/** Generates `commands/_index.ts` from the command files; `--check` only compares. */

import type { AnyCommand, CommandGroup } from "../commands/_kit/command.ts";

interface IndexedCommand {
  readonly name: string;
  /** Its file; absent for a group. */
  readonly file?: string;
  /** True if the file exports a change. */
  readonly changes?: boolean;
  readonly declared: Partial<AnyCommand> & CommandGroup;
}

/**
 * Generates the index, one line for each entry.
 *
 * @param root Folder of the commands, as a `file:` URL with a trailing slash.
 */
export async function generateIndex(root: URL): Promise<string> {
  const { groups } = await import(new URL("_groups.ts", root).href);
  const found = [
    ...await search(root, ""),
    ...Object.entries<CommandGroup>(groups).map(([name, declared]) => ({
      name,
      declared,
    })),
  ];
  found.sort((a, b) => a.name < b.name ? -1 : 1);
  const lines = found.map((one) => `  ${formatEntry(one, found)},\n`);
  return `// deno-fmt-ignore-file
/** The commands. Generated from the command files by \`deno task index\`. */

import type { IndexEntry } from "./_kit/command.ts";

/** Every command and group, by name. */
export const entries: readonly IndexEntry[] = [
${lines.join("")}];
`;
}

async function search(root: URL, folder: string): Promise<IndexedCommand[]> {
  const found: IndexedCommand[] = [];
  for await (const item of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${item.name}`;
    if (item.isDirectory && !item.name.startsWith("_")) {
      found.push(...await search(root, `${path}/`));
    } else if (item.name.endsWith(".ts") && !item.name.startsWith("_")) {
      const { command, change } = await import(new URL(path, root).href);
      if (command === undefined) {
        throw new Error(`commands/${path} exports no "command"`);
      }
      const name = commandName(path.slice(0, -3));
      const changes = change !== undefined;
      found.push({ name, file: path, changes, declared: command });
    }
  }
  return found;
}

function commandName(path: string): string {
  return path.replaceAll("_", "-").replaceAll("/", " ");
}

function formatEntry(
  { name, declared, file }: IndexedCommand,
  all: readonly IndexedCommand[],
): string {
  const around = all.filter((other) => name.startsWith(`${other.name} `));
  // Commands inherit from their group, then from its parent.
  const { section = "node", hidden }: CommandGroup = Object.assign(
    {},
    ...around.map(({ declared }) => declared),
    declared,
  );
  // Default values are omitted.
  const fields = {
    name,
    summary: declared.summary,
    aliases: declared.aliases,
    section: section === "node" ? undefined : section,
    hidden: hidden || undefined,
    group: file === undefined || undefined,
    changes: all.some((other) =>
      other.changes &&
      (other.name === name || other.name.startsWith(`${name} `))
    ) || undefined,
    noStep: declared.noStep,
    steps: listStepNames(declared),
  };
  const text = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`]
  );
  if (file !== undefined) text.push(`load: () => import("./${file}")`);
  return `{ ${text.join(", ")} }`;
}

function listStepNames(
  { stepNames = [], shortSteps = {} }: IndexedCommand["declared"],
): readonly string[] | undefined {
  const names = [...stepNames, ...Object.keys(shortSteps)];
  return names.length === 0 ? undefined : names;
}

if (import.meta.main) {
  const target = new URL("../commands/_index.ts", import.meta.url);
  const fresh = await generateIndex(new URL("../commands/", import.meta.url));
  const old = await Deno.readTextFile(target).catch(() => "");
  if (fresh !== old) {
    if (Deno.args.includes("--check")) {
      throw new Error("commands/_index.ts is stale, run: deno task index");
    }
    await Deno.writeTextFile(target, fresh);
  }
}
