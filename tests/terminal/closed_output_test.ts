import assert from "node:assert/strict";
import { linux, needs } from "../_needs.ts";

const program = new URL("../../mod.ts", import.meta.url).pathname;

/** Runs osctl as a shell does; `"$@"` is its command line. */
async function inShell(line: string) {
  const osctl = [Deno.execPath(), "run", "-A", "--no-check", program];
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", line, "sh", ...osctl, "version", "--client"],
  }).output();
  return { code, err: new TextDecoder().decode(stderr) };
}

const refused = {
  code: 1,
  err:
    "error: Standard output is closed; nothing was done\nhint: To discard the output: >/dev/null\n",
};
const done = { code: 0, err: "" };

Deno.test({
  name: "nothing is done when standard output is closed",
  ...needs(linux),
  async fn() {
    for (const line of ['"$@" >&-; exit', 'exec >&-; "$@"']) {
      assert.deepEqual(await inShell(line), refused, line);
    }
  },
});

Deno.test({
  name: "output may be discarded, by a shell and by other programs",
  ...needs(linux),
  async fn() {
    for (
      const line of ['"$@" >/dev/null; exit', 'exec 1<>/dev/null; "$@"; exit']
    ) {
      assert.deepEqual(await inShell(line), done, line);
    }
  },
});

Deno.test({
  name: "a program may discard output with the null device as Python does",
  ...needs(linux, "python3"),
  async fn() {
    const python =
      "python3 -c 'import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode)'";
    assert.deepEqual(await inShell(`${python} "$@"`), done);
  },
});
