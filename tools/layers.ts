/** Who may import whom; any other import fails the build, type imports included. */

import { importsOf, type Source, sources } from "./sources.ts";

/** Layer to the layers it may import, itself apart. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "errors.ts": [],
  "dialect.ts": [],
  pki: ["errors.ts", "dialect.ts"],
  transport: ["errors.ts", "dialect.ts"],
  config: ["pki", "errors.ts", "dialect.ts"],
  "release.ts": [],
  terminal: ["transport", "config", "pki", "errors.ts", "dialect.ts"],
  workflows: [
    "simulator",
    "terminal",
    "transport",
    "config",
    "pki",
    "errors.ts",
    "dialect.ts",
    "release.ts",
  ],
  simulator: ["transport", "config", "pki", "errors.ts", "dialect.ts"],
  provisioners: ["simulator", "config", "pki", "errors.ts", "dialect.ts"],
  commands: [
    "workflows",
    "provisioners",
    "simulator",
    "terminal",
    "transport",
    "config",
    "pki",
    "errors.ts",
    "dialect.ts",
    "release.ts",
  ],
  "mod.ts": ["commands", "terminal", "errors.ts"],
  tools: [
    "commands",
    "terminal",
    "provisioners",
    "workflows",
    "transport",
    "config",
    "pki",
    "errors.ts",
    "dialect.ts",
    "deno.json",
  ],
};

/** What makes steps of all commands, and finds them itself. */
const registry = "commands/runbook/_modules.ts";

/** Commands that are the front of a runbook, and begin a run as `runbook run` does. */
const fronts: ReadonlySet<string> = new Set(["commands/rotate_ca.ts"]);

/**
 * Finds imports that the layers forbid.
 *
 * @param all Source files.
 * @returns One line for each, naming file and import.
 */
export function forbidden(all: readonly Source[]): string[] {
  return all.flatMap((source) =>
    importsOf(source).flatMap((imported) => {
      const { path } = source;
      const problem = problemOf(path, imported);
      return problem === undefined ? [] : [`${path}: ${problem}: ${imported}`];
    })
  );
}

function problemOf(from: string, to: string): string | undefined {
  const [a, b] = [layerOf(from), layerOf(to)];
  if (a !== b && !(allowed[a] ?? []).includes(b)) {
    return `${a} must not import ${b}`;
  }
  if (a === "commands" && isCommand(from) && isCommand(to)) {
    return "a command must not import another command";
  }
  if (a === "commands" && to === "commands/_index.ts" && from !== registry) {
    return "commands are handed the index";
  }
  if (isPrivate(from, to)) return "the file is private to its folder";
  return undefined;
}

function layerOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function isCommand(path: string): boolean {
  return path.startsWith("commands/") && !path.includes("/_");
}

/** `_x` is for its own folder and those below it; the kit is for all commands. */
function isPrivate(from: string, to: string): boolean {
  const at = to.search(/(?<=\/)_/);
  if (at < 0 || /^commands\/_(kit\/|index\.ts)/.test(to)) return false;
  if (fronts.has(from) && to.startsWith("commands/runbook/")) return false;
  return !from.startsWith(to.slice(0, at));
}

if (import.meta.main) {
  const problems = forbidden(await sources(new URL("../", import.meta.url)));
  if (problems.length > 0) throw new Error(`\n${problems.join("\n")}`);
}
