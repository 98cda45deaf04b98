/** Checks that tests mirror the source tree, and that no file is too long. */

import { type SourceFile, sources } from "./sources.ts";

const longest = 400;

/** Folders of integration tests. */
const wholes = [
  "docs",
  "e2e",
  "secrets",
  "wire",
  "workflows/rehearsal/matrix",
  "workflows/runbooks/faults",
];

/**
 * Finds misplaced tests and files that are too long.
 *
 * @param all Sources and tests.
 * @returns One line for each, naming the file.
 */
export function findUnmirrored(all: readonly SourceFile[]): string[] {
  const known = new Set(all.flatMap(({ path }) => [path, ...above(path)]));
  return all.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const problems: string[] = [];
    if (lines > longest) {
      problems.push(`${path}: ${lines} lines, at most ${longest} are allowed`);
    }
    const missing = findRoom(path);
    if (missing !== undefined && !known.has(missing)) {
      problems.push(`${path}: it tests no room, there is no ${missing}`);
    }
    return problems;
  });
}

/** Parent folders of a path: `a/b` and `a` for `a/b/c.ts`. */
function above(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Source folder of a test; none for other files, and for integration tests. */
function findRoom(path: string): string | undefined {
  const [, folder] = /^tests\/(.+)\/[^/]+_test\.tsx?$/.exec(path) ?? [];
  const isWhole = wholes.some((whole) => `${folder}/`.startsWith(`${whole}/`));
  return isWhole ? undefined : folder;
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const problems = findUnmirrored(await sources(root, ["tests"]));
  if (problems.length > 0) throw new Error(`\n${problems.join("\n")}`);
}
