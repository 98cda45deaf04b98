/** Writes `commands/_index.ts` from the command files; `--check` only compares. */

import type { AnyCommand, Group } from "../commands/_kit/command.ts";

/** A command or group found on disk. */
interface Found {
  readonly name: string;
  readonly file: string;
  readonly told: Partial<AnyCommand> & Group;
  readonly group: boolean;
}

/**
 * Makes the text of the index.
 *
 * @param root Folder of the commands, as a `file:` URL with a slash at its end.
 */
export async function indexOf(root: URL): Promise<string> {
  const found = await search(root, "");
  found.sort((a, b) => a.name < b.name ? -1 : 1);
  const lines = found.map((one) => `  ${entryOf(one, found)},\n`);
  return `/** The commands. Generated from the command files by \`deno task index\`. */

import type { Entry } from "./_kit/command.ts";

/** Every command and group, by name. */
export const entries: readonly Entry[] = [
${lines.join("")}];
`;
}

async function search(root: URL, folder: string): Promise<Found[]> {
  const found: Found[] = [];
  for await (const item of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${item.name}`;
    if (item.isDirectory && !item.name.startsWith("_")) {
      found.push(...await search(root, `${path}/`));
    } else if (item.name === "_group.ts") {
      const { group } = await import(new URL(path, root).href);
      found.push({
        name: nameOf(folder.slice(0, -1)),
        file: path,
        told: described(group, path, "group"),
        group: true,
      });
    } else if (item.name.endsWith(".ts") && !item.name.startsWith("_")) {
      const { command } = await import(new URL(path, root).href);
      found.push({
        name: nameOf(path.slice(0, -3)),
        file: path,
        told: described(command, path, "command"),
        group: false,
      });
    }
  }
  return found;
}

function described<T>(told: T | undefined, path: string, name: string): T {
  if (told !== undefined) return told;
  throw new Error(`commands/${path} exports no "${name}"`);
}

function nameOf(path: string): string {
  return path.replaceAll("_", "-").replaceAll("/", " ");
}

function entryOf(one: Found, all: readonly Found[]): string {
  const { name, told, group, file } = one;
  const around = all.filter((other) => name.startsWith(`${other.name} `));
  // What a command leaves open its group says, else the one around that.
  const said: Group = Object.assign(
    {},
    ...around.map(({ told }) => told),
    told,
  );
  const { section = "node", hidden } = said;
  // What is as usual is left out.
  const fields = {
    name,
    summary: told.summary,
    aliases: told.aliases,
    section: section === "node" ? undefined : section,
    hidden: hidden || undefined,
    group: group || undefined,
    noStep: told.noStep,
    steps: stepsOf(told),
  };
  const text = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`]
  );
  if (!group) text.push(`load: () => import("./${file}")`);
  return `{ ${text.join(", ")} }`;
}

function stepsOf(
  { stepNames = [], shortSteps = {} }: Found["told"],
): readonly string[] | undefined {
  const names = [...stepNames, ...Object.keys(shortSteps)];
  return names.length === 0 ? undefined : names;
}

if (import.meta.main) {
  const target = new URL("../commands/_index.ts", import.meta.url);
  const fresh = await formatted(
    await indexOf(new URL("../commands/", import.meta.url)),
  );
  const old = await Deno.readTextFile(target).catch(() => "");
  if (fresh !== old) {
    if (Deno.args.includes("--check")) {
      throw new Error("commands/_index.ts is stale, run: deno task index");
    }
    await Deno.writeTextFile(target, fresh);
  }
}

async function formatted(text: string): Promise<string> {
  const format = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "ts", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = format.stdin.getWriter();
  await input.write(new TextEncoder().encode(text));
  await input.close();
  return new TextDecoder().decode((await format.output()).stdout);
}
