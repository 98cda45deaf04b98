import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { findCommand } from "../../commands/_kit/find.ts";
import { show, tour } from "../../tools/demo.ts";

/** Runs a tour whose command lines end as told; gives status and what was shown. */
async function shown(ends: Readonly<Record<string, number>>) {
  const printed: string[] = [];
  const status = await show(Object.keys(ends), {
    osctl: (line) => Promise.resolve(ends[line] ?? -1),
    print(text) {
      printed.push(text.replace(/\d+ ms/, "1 ms"));
      return Promise.resolve();
    },
  });
  return { status, text: printed.join("") };
}

Deno.test("show runs command lines in order and says how long they took", async () => {
  assert.deepEqual(await shown({ "cluster create": 0, "time": 0 }), {
    status: 0,
    text: `
$ osctl cluster create
(1 ms)

$ osctl time
(1 ms)
`,
  });
});

Deno.test("show continues after a failure and ends with the status of the first", async () => {
  assert.deepEqual(await shown({ "time": 3, "memory": 1, "version": 0 }), {
    status: 3,
    text: `
$ osctl time
(1 ms, status 3)

$ osctl memory
(1 ms, status 1)

$ osctl version
(1 ms)
`,
  });
});

Deno.test("show stops when the user interrupts", async () => {
  assert.deepEqual(await shown({ "logs": 130, "memory": 0 }), {
    status: 130,
    text: "\n$ osctl logs\n(1 ms, status 130)\n",
  });
});

Deno.test("the tour consists of commands that exist", () => {
  for (const line of tour) {
    // Groups have nothing to load.
    assert.ok(findCommand(entries, line.split(" ")).entry.load, line);
  }
});
