import assert from "node:assert/strict";
import { needs, posix } from "../_needs.ts";
import { runTest } from "./_test_projects.ts";

/** True while a process runs; an ended one may be a zombie. */
async function runs(pid: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "stat=", "-p", `${pid}`],
  }).output();
  return /^[^Z]/.test(new TextDecoder().decode(stdout).trim());
}

Deno.test(
  "a test that hangs is ended with all that it has started, and fails by name; other files run to their ends",
  needs(posix, "ps"),
  async () => {
    const pids = await Deno.makeTempFile();
    try {
      const { isGood, text } = await runTest({
        "tests/a/hanging_test.ts": `export const longestSeconds = 1.5;
Deno.test("before", () => {});
Deno.test("waits for ever", async () => {
  // A child that has left, whose parent is gone, and one that is waited for.
  const script = 'echo $$ >>${pids}; (sleep 600 & echo $! >>${pids}); exec sleep 600';
  await new Deno.Command("sh", { args: ["-c", script] }).output();
});
Deno.test("behind", () => {});
`,
        "tests/a/other_test.ts": `export const longestSeconds = 1.5;
Deno.test("other", () => {});
`,
      });
      assert.equal(isGood, false);
      assert.match(
        text,
        /^tests\/a\/hanging_test\.ts: "waits for ever" was ended after 0 s; if it needs more, its file says so: export const longestSeconds = 120;$/m,
      );
      assert.match(text, /^FAILED \| 2 passed \| 1 failed \| 0 ignored/m);
      const started = (await Deno.readTextFile(pids)).trim().split("\n");
      // The files ran together at first.
      assert.equal(started.length, 4);
      for (const pid of started) assert.equal(await runs(Number(pid)), false);
    } finally {
      await Deno.remove(pids);
    }
  },
);

Deno.test("a test that computes for ever is ended, too", async () => {
  const { text } = await runTest({
    "tests/a/busy_test.ts": `export const longestSeconds = 1;
Deno.test("spins", () => { while (true); });
`,
  });
  assert.match(text, /"spins" was ended after 0 s/);
  assert.match(text, /^FAILED \| 0 passed \| 1 failed \| 0 ignored/m);
});

Deno.test("a file that never ends to load is ended, too", async () => {
  const { text } = await runTest({
    "tests/a/loading_test.ts": `export const longestSeconds = 1;
await new Promise((resolve) => setTimeout(resolve, 1e6));
`,
  });
  assert.match(text, /"\(outside of tests\)" was ended/);
  assert.match(text, /^FAILED \| 0 passed \| 1 failed \| 0 ignored/m);
});
