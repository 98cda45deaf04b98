/** Every source has its test beside it in `tests/`, and no file is too long. */

import { type Source, sources } from "./sources.ts";

/** Longest source or test file, in lines. */
const longest = 400;

/**
 * Finds files without a mirror and files that are too long.
 *
 * @param all Sources and tests.
 * @returns One line for each, naming the file.
 */
export function unmirrored(all: readonly Source[]): string[] {
  const paths = new Set(all.map(({ path }) => path));
  return all.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const problems: string[] = [];
    if (lines > longest) {
      problems.push(`${path}: ${lines} lines, at most ${longest} are allowed`);
    }
    const test = `tests/${path.replace(/\.tsx?$/, "_test.ts")}`;
    if (needsTest(path, text) && !paths.has(test)) {
      problems.push(`${path}: its test is missing: ${test}`);
    }
    return problems;
  });
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
