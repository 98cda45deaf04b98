/** Checks that every exported symbol and field has a docstring. */

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

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const paths = (await sources(root)).map(({ path }) => path);
  const problems = await undocumented(root, paths);
  if (problems !== "") throw new Error(`\n${problems}`);
}
