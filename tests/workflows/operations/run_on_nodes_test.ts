import assert from "node:assert/strict";
import {
  clockOf,
  outcomes,
} from "../../../workflows/operations/run_on_nodes.ts";
import { NodesError } from "../../../errors.ts";
import type { Outcome } from "../../../workflows/operations/operation.ts";
import type { NodeEvent } from "../../../workflows/operations/run.ts";
import { withEvidence } from "../../../workflows/operations/failure_evidence.ts";
import { fakeNodes } from "../../_fake.ts";

/** Shows what happened on nodes; gives rows, notes and status. */
async function show(...events: readonly NodeEvent[]) {
  const told: string[] = [];
  const rows: string[] = [];
  const nodes = new Set(events.map(({ node }) => node));
  let status = 0;
  const stream = ReadableStream.from(events.map((value) => ({ value })));
  const place = {
    note: (text: string) => void told.push(text),
    environment: { now: () => new Date(0) },
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

Deno.test("clockOf is the environment's time", async () => {
  const clock = clockOf({ now: () => new Date(5) });
  assert.equal(clock.now(), 5);
  await clock.sleep(0);
});

async function told(
  outcome: Outcome,
  more: { readonly untouched?: true } = {},
): Promise<readonly string[]> {
  const bytes = new TextEncoder().encode("last line\n");
  const client = await fakeNodes({
    a: {
      async *dmesg() {
        yield await Promise.resolve({ bytes });
      },
      async *logs() {
        yield await Promise.resolve({ bytes });
      },
    },
  }).nodes.at("a");
  async function* events(): AsyncGenerator<NodeEvent> {
    yield { node: "a", progress: "waiting" };
    yield await Promise.resolve({
      node: "a",
      verdict: { outcome, reason: "seen" },
      ...more,
    });
  }
  const lines: string[] = [];
  for await (
    const event of withEvidence(events(), client, (line) => lines.push(line))
  ) {
    lines.push("progress" in event ? event.progress : event.verdict.outcome);
  }
  return lines;
}

Deno.test("a bad end comes with the last words of the node", async () => {
  for (const outcome of ["rolled-back", "never-rebooted"] as const) {
    assert.deepEqual(await told(outcome), [
      "waiting",
      "a: kernel: last line",
      "a: machined: last line",
      outcome,
    ]);
  }
});

Deno.test("a good end, and one that explains itself, come alone", async () => {
  for (const outcome of ["done", "refused", "failed"] as const) {
    assert.deepEqual(await told(outcome), ["waiting", outcome]);
  }
});

Deno.test("a node that was asked for nothing has no words for it", async () => {
  assert.deepEqual(await told("timed-out", { untouched: true }), [
    "waiting",
    "timed-out",
  ]);
});
