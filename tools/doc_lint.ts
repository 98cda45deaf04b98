/** Checks that every exported symbol and field has a docstring. */

import { sources } from "./sources.ts";

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const paths = (await sources(root)).map(({ path }) => path);
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...paths],
    cwd: root,
    stdout: "null",
    stderr: "inherit",
  }).output();
  Deno.exit(success ? 0 : 1);
}
