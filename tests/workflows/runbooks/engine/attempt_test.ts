import assert from "node:assert/strict";
import { LockedError, RpcError } from "../../../../errors.ts";
import type { NewRecord } from "../_records.ts";
import type { Reconciled } from "../../../../workflows/operations/operation.ts";
import { openBench, type Ran } from "../_bench.ts";
import { type FakeChange, fakeModules } from "../_fake_modules.ts";

const work = "steps: [{ id: w, run: work }]";

function benchWith(
  fakes: ReturnType<typeof fakeModules>,
  fake: FakeChange = {},
) {
  return openBench({
    modules: [fakes.change("work", { scope: "cluster", ...fake })],
  });
}

function types({ records }: Ran): readonly string[] {
  return records.map(({ type }) => type);
}

Deno.test("attempt: the intent is on disk before the request is sent", async () => {
  const order: string[] = [];
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    spoil: () => void order.push("sent"),
  });
  const ran = await bench.run(work, {}, {
    onRecord: ({ type }) => void order.push(type),
    through: ({ write, sync }) => ({
      write,
      async sync() {
        await sync();
        order.push("sync");
      },
    }),
  });
  assert.deepEqual(order, [
    "run.start",
    "sync",
    "intent",
    "sync",
    "sent",
    "ack",
    "result",
    "sync",
    "run.end",
    "sync",
  ]);
  assert.deepEqual(types(ran), [
    "run.start",
    "intent",
    "ack",
    "result",
    "run.end",
  ]);
});

Deno.test("nothing is sent when the journal cannot be written", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  await assert.rejects(
    bench.run(work, {}, {
      through: ({ write, sync }) => {
        let count = 0;
        return {
          write,
          sync: () =>
            ++count === 2
              ? Promise.reject(new Deno.errors.WriteZero("the disk is full"))
              : sync(),
        };
      },
    }),
    { message: "Cannot write the journal of the run: the disk is full" },
  );
  assert.deepEqual(fakes.done(), []);
});

async function takeUp(
  reconcile: Reconciled,
  decisions: readonly NewRecord[] = [],
) {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { reconcile: () => reconcile });
  const first = await bench.run(work, {}, { killAt: 2 });
  assert.deepEqual(types(first), ["run.start", "intent"]);
  assert.equal(first.verdict, "killed");
  const second = await bench.resume();
  if (decisions.length === 0) return { ran: second, done: fakes.done() };
  return { ran: await bench.resume({ decisions }), done: fakes.done() };
}

function summarize({ events, records }: Ran): readonly unknown[] {
  const reported = events.find(({ type }) => type === "step.done")?.data;
  const written = records.find(({ type }) => type === "result")?.data;
  return [reported, written].map((how) => [how?.changed, how?.recovered]);
}

Deno.test("a step in doubt that was done is verified and not sent again", async () => {
  const { ran, done } = await takeUp("done");
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(done, []);
  assert.deepEqual(summarize(ran), [[undefined, true], [undefined, true]]);
});

Deno.test("a step in doubt that continues is waited for and not sent again", async () => {
  const { ran, done } = await takeUp("in-progress");
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(done, []);
});

Deno.test("a step in doubt is verified by what was sent, not by what an input says now", async () => {
  const fakes = fakeModules();
  const verified: unknown[] = [];
  await using bench = await benchWith(fakes, {
    input: { number: { type: "int", summary: "Number" } },
    reconcile: () => "done",
    verify({ input }) {
      verified.push(input.number);
      return { outcome: "done", reason: "" };
    },
  });
  const runbook = `
inputs: { number: { type: int, default: 1, mutable: true } }
steps: [{ id: w, run: work, with: { number: "\${{ inputs.number }}" } }]
`;
  await bench.run(runbook, { number: 1 }, { killAt: 2 });
  const ran = await bench.resume({
    decisions: [{ type: "set", path: "number", data: { value: 2 } }],
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(verified, [1]);
});

Deno.test("a step in doubt that was not started is sent", async () => {
  const { ran, done } = await takeUp("not-started");
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(done, ["work"]);
  assert.deepEqual(summarize(ran), [[undefined, undefined], [
    undefined,
    undefined,
  ]]);
});

Deno.test("a step in doubt of which nothing can be known blocks the run", async () => {
  const { ran, done } = await takeUp("unknown");
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "in-doubt");
  assert.deepEqual(done, []);
  const reported = ran.events.find(({ type }) => type === "step.in-doubt");
  assert.deepEqual([reported?.path, reported?.data.code], ["w", "in-doubt"]);
  assert.ok(ran.events.every(({ type }) => type !== "step.failed"));
});

Deno.test("a step in doubt whose node does not answer stays in doubt, however it is idempotent", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    idempotency: "once",
    reconcile() {
      throw new RpcError("UNAVAILABLE", "gone");
    },
  });
  await bench.run(work, {}, { killAt: 2 });
  const ran = await bench.resume();
  assert.equal(ran.end?.failure?.code, "unavailable");
  assert.deepEqual(fakes.done(), []);
});

const decision = (verdict: string, path = "w"): NewRecord => ({
  type: "decision",
  path,
  data: { verdict, reason: "I have looked", by: "tester" },
});

Deno.test("an operator resolves a step in doubt as done", async () => {
  const { ran, done } = await takeUp("unknown", [decision("done")]);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(done, []);
});

Deno.test("an operator resolves a step in doubt as to be done again", async () => {
  const { ran, done } = await takeUp("unknown", [decision("redo")]);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(done, ["work"]);
});

Deno.test("an operator leaves a step in doubt out, and the report says so", async () => {
  const { ran, done } = await takeUp("unknown", [decision("skip")]);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(done, []);
  assert.deepEqual(ran.end?.skipped, [{ step: "w", reason: "I have looked" }]);
});

Deno.test("attempt: a redo by the operator happens once", async () => {
  const fakes = fakeModules();
  let tries = 0;
  await using bench = await openBench({
    modules: [
      fakes.change("work", { scope: "cluster" }),
      fakes.change("last", {
        scope: "cluster",
        spoil: () =>
          ++tries < 3 ? { outcome: "failed", reason: "no" } : undefined,
      }),
    ],
  });
  await bench.run("steps: [{ id: w, run: work }, { id: l, run: last }]");
  await bench.resume({ decisions: [decision("redo")] });
  assert.deepEqual(fakes.done(), ["work", "work"]);
  const ran = await bench.resume();
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), ["work", "work", "last"]);
});

Deno.test("a decision that was to be made again is made again", async () => {
  const fakes = fakeModules();
  let tries = 0;
  await using bench = await openBench({
    modules: [fakes.change("work", {
      scope: "cluster",
      input: { number: { type: "int", summary: "Number" } },
      spoil: () =>
        ++tries === 1 ? { outcome: "failed", reason: "no" } : undefined,
    })],
  });
  await bench.run(
    `
inputs: { number: { type: int, default: 1, mutable: true } }
steps:
  - { id: d, decide: { name: one, value: "\${{ inputs.number }}" } }
  - { id: w, run: work, with: { number: "\${{ decisions.one }}" } }
`,
    { number: 1 },
  );
  await bench.resume({
    decisions: [
      { type: "set", path: "number", data: { value: 2 } },
      decision("redo", "d"),
    ],
  });
  assert.deepEqual(fakes.deeds.map(({ input }) => input.number), [2]);
});

Deno.test("after the second wish to stop nothing is waited for, and what was sent stays open", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { tookMs: 60_000 });
  const ran = await bench.run(work, {}, {
    on: async ({ type }, { wait, stop, abandon }) => {
      if (type !== "step.start") return;
      await wait(5_000);
      stop();
      await wait(5_000);
      abandon();
    },
  });
  assert.equal(ran.verdict, "interrupted 130");
  assert.deepEqual(types(ran), ["run.start", "intent"]);
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
});

Deno.test("after the second wish to stop a read that was aborted is no failure", async () => {
  const look = fakeModules().look("look", {
    scope: "cluster",
    async gives({ context: { clock, signal } }) {
      await clock.sleep(60_000, signal);
      signal.throwIfAborted();
      return {};
    },
  });
  await using bench = await openBench({ modules: [look] });
  const ran = await bench.run("steps: [{ id: w, run: look }]", {}, {
    on: async ({ type }, { wait, stop, abandon }) => {
      if (type !== "step.start") return;
      await wait(5_000);
      stop();
      abandon();
    },
  });
  assert.equal(ran.verdict, "interrupted 130");
  assert.deepEqual(types(ran), ["run.start"]);
});

Deno.test("after the first wish to stop what was sent is waited for", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { tookMs: 60_000 });
  const ran = await bench.run(
    "steps: [{ id: w, run: work }, { id: v, run: work }]",
    {},
    {
      on: async ({ type }, { wait, stop }) => {
        if (type !== "step.start") return;
        await wait(5_000);
        stop();
      },
    },
  );
  assert.equal(ran.verdict, "stopped 75");
  assert.deepEqual(fakes.done(), ["work"]);
});

Deno.test("a reply that was lost is resolved by looking", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    after: () => {
      throw new RpcError("UNAVAILABLE", "the connection broke");
    },
  });
  const ran = await bench.run(work);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), ["work"]);
});

Deno.test("attempt: the outcome of the operation is the failure of the step", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    codes: { "timed-out": "drain-blocked" },
    verify: () => ({ outcome: "timed-out", reason: "a pod stays" }),
  });
  const ran = await bench.run(work);
  assert.equal(ran.verdict, "failed 4");
  assert.deepEqual(ran.end?.failure, {
    step: "w",
    code: "drain-blocked",
    message: "work: a pod stays",
  });
});

Deno.test("a step that had nothing to do says so", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    spoil: () => ({ outcome: "unchanged", reason: "it is so already" }),
  });
  const ran = await bench.run(work);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), []);
  assert.deepEqual(summarize(ran), [[false, undefined], [false, undefined]]);
});

Deno.test("a process that was suspended enters the run again, and looks first at what it had sent", async () => {
  const fakes = fakeModules();
  let isSuspended = false;
  let looks = 0;
  const fake: FakeChange = { scope: "cluster" };
  await using bench = await openBench({
    modules: [fakes.change("first", fake), fakes.change("second", fake)],
  });
  const ran = await bench.run(
    "steps: [{ id: a, run: first }, { id: b, run: second }]",
    {},
    {
      onRecord({ type, path }) {
        if (type === "result" && path === "a" && looks === 0) {
          isSuspended = true;
        }
      },
      hold: {
        ensure: () =>
          isSuspended
            ? Promise.reject(new LockedError("This process was suspended"))
            : Promise.resolve(undefined),
        isSuspended: () => isSuspended,
        reenter() {
          looks++;
          isSuspended = false;
          return Promise.resolve();
        },
      },
    },
  );
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(looks, 1);
  assert.deepEqual(
    ran.records.map(({ type, path = "" }) => `${type} ${path}`.trimEnd())
      .filter((line) => !line.startsWith("when")),
    [
      "run.start",
      "intent a",
      "ack a",
      "result a",
      "run.resume",
      "intent b",
      "ack b",
      "result b",
      "run.end",
    ],
  );
  assert.ok(
    ran.events.some(({ data }) =>
      data.message ===
        "This process was suspended; checking the lock and all nodes again"
    ),
  );
});
