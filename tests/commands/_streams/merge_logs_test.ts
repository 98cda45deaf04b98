import assert from "node:assert/strict";
import { mergeLogs } from "../../../commands/_streams/merge_logs.ts";
import { NodesError } from "../../../errors.ts";

/** A log of lines named by their times; in batches of two. */
function source(node: string, times: readonly number[], failure?: Error) {
  const lines = times.map((time) => ({ line: `${node}${time}`, time }));
  async function* batches() {
    for (let at = 0; at < lines.length; at += 2) {
      await Promise.resolve();
      yield lines.slice(at, at + 2);
    }
    yield [];
    if (failure) throw failure;
  }
  return { node, log: "x", lines: batches() };
}

Deno.test("logs are merged by time, each in its own order, up to the last line of all", async () => {
  const merged: string[] = [];
  const logs = mergeLogs([
    source("a", [-Infinity, 1, 4, 9]),
    source("b", [2, 3, 3, 11], new Error("gone")),
    source("c", [5, 2, 4, 8]),
    source("d", []),
  ], 4);
  await assert.rejects(
    async () => {
      for await (const rows of logs) {
        merged.push(...rows.map(({ line }) => line));
      }
    },
    (error) =>
      error instanceof NodesError && error.status === 3 &&
      [...error.failures.keys()].join() === "b",
  );
  assert.equal(
    merged.join(" "),
    // c's clock was set back: its lines stay in their order and hold up no others.
    "a-Infinity a1 b2 b3 b3 a4 c5 c2 c4 c8 a9 b11",
  );
});
