/** Checks that exports used by other rooms have a docstring, and that examples in docstrings work. */

import { listImports, type SourceFile, sources } from "./sources.ts";

/**
 * Finds exports without a docstring in files that another room imports.
 *
 * @returns One line for each, `path:line: name`.
 */
export function findUndocumented(all: readonly SourceFile[]): string[] {
  const imported = new Set(
    all.flatMap((source) =>
      listImports(source).filter((path) => room(path) !== room(source.path))
    ),
  );
  return all.filter(({ path }) => imported.has(path)).flatMap(
    ({ path, text }) => {
      const lines = text.split("\n");
      return lines.flatMap((line, i) => {
        const name = declaration.exec(line)?.[1];
        // Overloads share the docstring of the first signature.
        const before = lines[i - 1]?.trimEnd() ?? "";
        const isDocumented = before.endsWith("*/") || before.endsWith(";") ||
          before.startsWith("// ");
        return name === undefined || isDocumented
          ? []
          : [`${path}:${i + 1}: ${name}`];
      });
    },
  );
}

const declaration =
  /^export (?:async )?(?:function\*?|class|interface|type|const) (\w+)/;

function room(path: string): string {
  return path.split("/")[0] ?? path;
}

/**
 * Runs the examples in docstrings.
 *
 * @param root Folder the paths are relative to.
 * @param paths Files with examples.
 * @returns Output of failures; empty if there are none.
 */
export async function failingExamples(
  root: URL,
  paths: readonly string[],
): Promise<string> {
  if (paths.length === 0) return "";
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--doc", "--no-check", "-A", ...paths],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  return success ? "" : text.decode(stdout) + text.decode(stderr);
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const all = await sources(root);
  const withExamples = all.filter(({ text }) => /^ \* @example/m.test(text));
  const problems = [
    ...findUndocumented(all).map((at) => `${at} has no docstring\n`),
    await failingExamples(root, withExamples.map(({ path }) => path)),
  ].join("");
  if (problems !== "") throw new Error(`\n${problems}`);
}
