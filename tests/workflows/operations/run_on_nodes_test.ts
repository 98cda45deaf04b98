import assert from "node:assert/strict";
import {
  makeClock,
  outcomes,
  withKernelLog,
} from "../../../workflows/operations/run_on_nodes.ts";
import { NodesError, RpcError } from "../../../errors.ts";
import type { Outcome } from "../../../workflows/operations/operation.ts";
import type { OperationEvent } from "../../../workflows/operations/run.ts";
import { withEvidence } from "../../../workflows/operations/failure_evidence.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import { boots, texts, untilAborted } from "../../commands/_broken_streams.ts";

/** Shows what happened on nodes; gives rows, notes and status. */
async function show(...events: readonly OperationEvent[]) {
  const reported: string[] = [];
  const rows: string[] = [];
  const nodes = new Set(events.map(({ node }) => node));
  let status = 0;
  const stream = ReadableStream.from(events.map((value) => ({ value })));
  const place = {
    note: (text: string) => void reported.push(text),
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
  return { reported, rows, status };
}

function end(node: string, outcome: Outcome): OperationEvent {
  return { node, verdict: { outcome, reason: "why" } };
}

Deno.test("progress goes to standard error, good ends are rows", async () => {
  assert.deepEqual(
    await show({ node: "a", progress: "waiting" }, end("a", "done")),
    { reported: ["00:00:00 a: waiting"], rows: ["a done"], status: 0 },
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

Deno.test("a node whose cluster a run has locked says so: status 8", async () => {
  const verdict = { outcome: "refused", reason: "why", code: "lease-lost" };
  const locked = { node: "a", verdict } as const;
  assert.equal((await show(locked as OperationEvent)).status, 8);
});

Deno.test("some good and some bad ends are partial, different bad ends a failure", async () => {
  const partial = await show(end("a", "done"), end("b", "refused"));
  assert.deepEqual(partial.rows, ["a done", "b OutcomeError: refused: why"]);
  assert.equal(partial.status, 3);
  const mixed = await show(end("a", "refused"), end("b", "timed-out"));
  assert.equal(mixed.status, 1);
});

Deno.test("makeClock is the environment's time", async () => {
  const clock = makeClock({ now: () => new Date(5) });
  assert.equal(clock.now(), 5);
  await clock.sleep(0);
});

async function readReport(
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
  async function* events(): AsyncGenerator<OperationEvent> {
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
    assert.deepEqual(await readReport(outcome), [
      "waiting",
      "a: kernel: last line",
      "a: machined: last line",
      outcome,
    ]);
  }
});

Deno.test("a good end, and one that explains itself, come alone", async () => {
  for (const outcome of ["done", "refused", "failed"] as const) {
    assert.deepEqual(await readReport(outcome), ["waiting", outcome]);
  }
});

Deno.test("a node that was requested nothing has no values for it", async () => {
  assert.deepEqual(await readReport("timed-out", { untouched: true }), [
    "waiting",
    "timed-out",
  ]);
});

const goodEnd: OperationEvent = {
  node: "a",
  verdict: { outcome: "done", reason: "ready" },
};

/** Lines that are reported until one is seen; the operation then ends. */
async function kernelLines(
  node: FakeNode,
  last: string,
): Promise<readonly string[]> {
  const client = await fakeNodes({ a: node }).nodes.at("a");
  const lines: string[] = [];
  const seen = Promise.withResolvers<void>();
  function note(text: string): void {
    lines.push(text);
    if (text === last) seen.resolve();
  }
  async function* events(): AsyncGenerator<OperationEvent> {
    yield { node: "a", progress: "waiting" };
    await seen.promise;
    yield goodEnd;
  }
  const environment = { now: () => new Date(0) };
  const got = await Array.fromAsync(
    withKernelLog(events(), client, { note, environment }),
  );
  assert.deepEqual(got, [{ node: "a", progress: "waiting" }, goodEnd]);
  return lines;
}

Deno.test("the kernel log is distinguished from now on, over a reboot, until the operation ends", async () => {
  let broken = false;
  const lines = await kernelLines({
    async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
      if (broken) {
        yield* texts("kern: new boot\n");
        return await untilAborted(signal);
      }
      yield* texts("kern: old\n");
      if (!follow) return;
      yield* texts("kern: going down\n");
      broken = true;
      throw new RpcError("UNAVAILABLE", "connection reset");
    },
    read: boots("1", "2"),
  }, "a: kern: new boot");
  assert.deepEqual(lines, [
    "a: kern: going down",
    "--- a: node rebooted, gap from 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:00.000Z ---",
    "a: kern: new boot",
  ]);
});

Deno.test("a kernel log that may not be read is reported, and ends nothing", async () => {
  const line = "--- a: no longer following the kernel log: not for you ---";
  const lines = await kernelLines({
    dmesg: () => {
      throw new RpcError("PERMISSION_DENIED", "not for you");
    },
    read: boots("1"),
  }, line);
  assert.deepEqual(lines, [line]);
});

Deno.test("the operation begins when it is known which lines are old", async () => {
  const client = await fakeNodes({
    a: {
      async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
        if (!follow) order.push("read");
        yield* texts("kern: old\n");
        if (follow) await untilAborted(signal);
      },
      read: boots("1"),
    },
  }).nodes.at("a");
  const order: string[] = [];
  async function* events(): AsyncGenerator<OperationEvent> {
    order.push("started");
    yield await Promise.resolve(goodEnd);
  }
  const place = { note() {}, environment: { now: () => new Date(0) } };
  await Array.fromAsync(withKernelLog(events(), client, place));
  assert.deepEqual(order, ["read", "started"]);
});

Deno.test("the kernel log shows no old line, though times differ in each reading", async () => {
  let reading = 0;
  const lines = await kernelLines({
    async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
      const at = (second: number, late = reading) =>
        `kern:    info: [2026-01-02T03:04:0${second}.${late}Z]`;
      reading++;
      yield* texts(`${at(1)}: one\n`, `${at(2)}: two\n`);
      if (!follow) return;
      yield* texts(`${at(3)}: three\n`);
      await untilAborted(signal);
    },
    read: boots("1"),
  }, "a: kern:    info: [2026-01-02T03:04:03.2Z]: three");
  assert.deepEqual(lines, [
    "a: kern:    info: [2026-01-02T03:04:03.2Z]: three",
  ]);
  assert.equal(reading, 2);
});
