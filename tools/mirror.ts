/** Every source is tested, by a test of its own or by that of its only importer, and no file is too long. */

import { importsOf, type SourceFile, sources } from "./sources.ts";

const longest = 400;

/**
 * Finds files without a test and files that are too long.
 *
 * @param all Sources and tests.
 * @returns One line for each, naming the file.
 */
export function unmirrored(all: readonly SourceFile[]): string[] {
  const paths = new Set(all.map(({ path }) => path));
  const importers = importersOf(all);
  /** Its own test, or that of the door it is behind. */
  function isTested(path: string, seen: readonly string[] = []): boolean {
    if (paths.has(testOf(path))) return true;
    const [door, ...others] = importers.get(path) ?? [];
    return door !== undefined && others.length === 0 &&
      !seen.includes(door) && isTested(door, [...seen, path]);
  }
  return all.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const problems: string[] = [];
    if (lines > longest) {
      problems.push(`${path}: ${lines} lines, at most ${longest} are allowed`);
    }
    if (needsTest(path, text) && !isTested(path)) {
      problems.push(`${path}: its test is missing: ${testOf(path)}`);
    }
    return problems;
  });
}

function testOf(path: string): string {
  return `tests/${path.replace(/\.tsx?$/, "_test.ts")}`;
}

/** Sources by what they import; tests do not count. */
function importersOf(
  all: readonly SourceFile[],
): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const source of all) {
    if (source.path.startsWith("tests/")) continue;
    for (const imported of new Set(importsOf(source))) {
      const known = importers.get(imported) ?? [];
      importers.set(imported, [...known, source.path]);
    }
  }
  return importers;
}

function needsTest(path: string, text: string): boolean {
  return !path.startsWith("tests/") && path !== "mod.ts" && holdsCode(text);
}

/** Files that only hold types, only re-export or only hold constants need no test. */
function holdsCode(text: string): boolean {
  return /^(export )?(async )?(function|class)\b/m.test(text) ||
    /^export const command\b/m.test(text);
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const problems = unmirrored(await sources(root, ["tests"]));
  if (problems.length > 0) throw new Error(`\n${problems.join("\n")}`);
}
