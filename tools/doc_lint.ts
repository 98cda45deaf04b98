/** Checks that every exported symbol and field has a docstring, and that the examples in them hold. */

import { sources } from "./sources.ts";

/**
 * Finds exported symbols and fields without a docstring.
 *
 * Types of generated code and of libraries may be named: they are documented where they are declared.
 *
 * @param root Folder the paths start from.
 * @param paths Files to look at.
 * @returns What `deno doc --lint` says of them; empty when all is well.
 */
export async function undocumented(
  root: URL,
  paths: readonly string[],
): Promise<string> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...paths],
    cwd: root,
    stdout: "null",
    env: { NO_COLOR: "1" },
  }).output();
  if (success) return "";
  const problems = new TextDecoder().decode(stderr).split(/\n(?=error\[)/)
    .filter((text) => text.startsWith("error["));
  const own = await Promise.all(problems.map(isOurs));
  return problems.filter((_, i) => own[i]).join("\n");
}

/** A private type counts when it is declared in the very file that shows it. */
async function isOurs(problem: string): Promise<boolean> {
  const type = /^error\[private-type-ref\].* private type '(\w+)'/.exec(problem)
    ?.[1];
  const file = /--> (.+):\d+:\d+$/m.exec(problem)?.[1];
  if (type === undefined || file === undefined) return true;
  const text = await Deno.readTextFile(file);
  return new RegExp(`^(interface|type|class|const|function) ${type}\\b`, "m")
    .test(text);
}

/**
 * Runs the examples in docstrings.
 *
 * @param root Folder the paths start from.
 * @param paths Files with examples.
 * @returns What the runner says of those that fail; empty when all hold.
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
  const problems = await undocumented(root, all.map(({ path }) => path)) +
    await failingExamples(root, withExamples.map(({ path }) => path));
  if (problems !== "") throw new Error(`\n${problems}`);
}
