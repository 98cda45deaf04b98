/** Checks that every exported symbol and field has a docstring. */

import { sources } from "./sources.ts";

/**
 * Finds exported symbols and fields without a docstring.
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
  return success ? "" : new TextDecoder().decode(stderr);
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const paths = (await sources(root)).map(({ path }) => path);
  const problems = await undocumented(root, paths);
  if (problems !== "") throw new Error(`\n${problems}`);
}
