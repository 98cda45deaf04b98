import assert from "node:assert/strict";
import { clockOf, outcomes } from "../../../commands/_kit/operate.ts";
import { NodesError } from "../../../errors.ts";
import type { Outcome } from "../../../workflows/operation.ts";
import type { NodeEvent } from "../../../workflows/operations/run.ts";

/** Shows what happened on nodes; gives rows, notes and status. */
async function show(...events: readonly NodeEvent[]) {
  const told: string[] = [];
  const rows: string[] = [];
  const nodes = new Set(events.map(({ node }) => node));
  let status = 0;
  const stream = ReadableStream.from(events.map((value) => ({ value })));
  const place = {
    note: (text: string) => void told.push(text),
    world: { now: () => new Date(0) },
  };
  try {
    for await (const row of outcomes(place, stream, [...nodes])) {
      rows.push(`${row.node} ${row.outcome}`);
    }
  } catch (error) {
    assert.ok(error instanceof NodesError);
    ({ status } = error);
    for (const [node, failure] of error.failures) {
      rows.push(`${node} ${failure}`);
    }
  }
  return { told, rows, status };
}

function end(node: string, outcome: Outcome): NodeEvent {
  return { node, verdict: { outcome, reason: "why" } };
}

Deno.test("progress goes to standard error, good ends are rows", async () => {
  assert.deepEqual(
    await show({ node: "a", progress: "waiting" }, end("a", "done")),
    { told: ["a: waiting"], rows: ["a done"], status: 0 },
  );
});

Deno.test("the status says how nodes failed", async () => {
  const cases: readonly [Outcome, number][] = [
    ["unchanged", 0],
    ["accepted", 0],
    ["failed", 1],
    ["rolled-back", 1],
    ["never-returned", 4],
    ["never-rebooted", 4],
    ["timed-out", 4],
    ["refused", 5],
    ["in-doubt", 5],
  ];
  for (const [outcome, status] of cases) {
    assert.equal((await show(end("a", outcome))).status, status, outcome);
  }
});

Deno.test("some good and some bad ends are partial, different bad ends a failure", async () => {
  const partial = await show(end("a", "done"), end("b", "refused"));
  assert.deepEqual(partial.rows, ["a done", "b OutcomeError: refused: why"]);
  assert.equal(partial.status, 3);
  const mixed = await show(end("a", "refused"), end("b", "timed-out"));
  assert.equal(mixed.status, 1);
});

Deno.test("clockOf is the world's time", async () => {
  const clock = clockOf({ now: () => new Date(5) });
  assert.equal(clock.now(), 5);
  await clock.sleep(0);
});
