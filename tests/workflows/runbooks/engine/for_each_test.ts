import assert from "node:assert/strict";
import type { RunEnd } from "../../../../workflows/runbooks/engine/run.ts";
import { openBench, type Ran } from "../_bench.ts";
import { type FakeChange, fakeModules } from "../_fake_modules.ts";

const five = { controlPlanes: 1, workers: 5 };
const no = { outcome: "failed", reason: "no" } as const;

/** `touch` on all workers, with a strategy. */
function each(strategy = "{}"): string {
  return `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: { nodes: workers, strategy: ${strategy} }
    steps: [{ id: a, run: touch }]
`;
}

function benchWith(fakes: ReturnType<typeof fakeModules>, fake: FakeChange) {
  return openBench({ ...five, modules: [fakes.change("touch", fake)] });
}

/** States by the number of the worker. */
function states(end: RunEnd | undefined): Record<string, string> {
  return Object.fromEntries(
    (end?.targets ?? []).map((
      { node, state },
    ) => [node.replace("demo-worker-", ""), state]),
  );
}

/** Most nodes that were inside at the same time. */
function mostInside({ events }: Ran): number {
  let [inside, most] = [0, 0];
  for (const { type, data } of events) {
    if (type === "node.entered") most = Math.max(most, ++inside);
    if (type === "node.ended" && data.state !== "not-reached") inside--;
  }
  return most;
}

Deno.test("nodes walk one after the other, in the order of their group", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  const ran = await bench.run(each());
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(mostInside(ran), 1);
  assert.deepEqual(
    fakes.done(),
    [1, 2, 3, 4, 5].map((index) => `touch demo-worker-${index}`),
  );
});

Deno.test("no more nodes are inside than the batch says, and the next one enters when one has ended", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  const began = bench.cluster.clock.now();
  const ran = await bench.run(each("{ batch: 2 }"));
  assert.equal(mostInside(ran), 2);
  assert.equal(bench.cluster.clock.now() - began, 3_000);
});

Deno.test("a share of a batch is rounded down and at least one", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  assert.equal(mostInside(await bench.run(each("{ batch: 50% }"))), 2);
  assert.equal(mostInside(await bench.run(each("{ batch: 10% }"))), 1);
});

Deno.test("each stage of a ramp is complete before the next one", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { tookMs: 10_000 });
  const began = bench.cluster.clock.now();
  await bench.run(each("{ batch: [1, 3] }"));
  const times = fakes.deeds.map(({ at }) => (at - began) / 10_000);
  assert.deepEqual(times, [1, 2, 2, 2, 3]);
});

Deno.test("no more nodes are at a step that disturbs no node than a run may have", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  const ran = await bench.run(each("{ batch: 100% }"), {}, { parallel: 3 });
  assert.equal(mostInside(ran), 3);
});

Deno.test("after the first failed node no other one begins", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    spoil: ({ node }) => node === "demo-worker-2" ? no : undefined,
  });
  const ran = await bench.run(each());
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(states(ran.end), {
    1: "done",
    2: "failed",
    3: "not-reached",
    4: "not-reached",
    5: "not-reached",
  });
  assert.equal(
    ran.end?.failure?.message,
    "demo-worker-2 failed: touch: demo-worker-2: no",
  );
});

Deno.test("within its failures the fan-out continues, and the run is partial", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    spoil: ({ node }) => node === "demo-worker-2" ? no : undefined,
  });
  const ran = await bench.run(each("{ maxFailures: 1 }"));
  assert.equal(ran.verdict, "partial 3");
  assert.deepEqual(states(ran.end), {
    1: "done",
    2: "failed",
    3: "done",
    4: "done",
    5: "done",
  });
});

Deno.test("a share of failures is rounded down and may be none", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    spoil: ({ node }) => node === "demo-worker-1" ? no : undefined,
  });
  assert.equal(
    (await bench.run(each("{ maxFailures: 19% }"))).verdict,
    "failed 1",
  );
  assert.equal(
    (await bench.run(each("{ maxFailures: 20% }"))).verdict,
    "partial 3",
  );
});

Deno.test("all nodes are tried when all of them may fail", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { spoil: () => no });
  const ran = await bench.run(each("{ maxFailures: 100% }"));
  assert.equal(ran.verdict, "partial 3");
  assert.equal(ran.end?.targets.every(({ state }) => state === "failed"), true);
});

Deno.test("nodes that are inside when one fails too many finish their block", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    tookMs: 10_000,
    spoil: ({ node }) => node === "demo-worker-1" ? no : undefined,
  });
  const ran = await bench.run(each("{ batch: 3 }"));
  assert.equal(ran.verdict, "failed 1");
  assert.deepEqual(states(ran.end), {
    1: "failed",
    2: "done",
    3: "done",
    4: "not-reached",
    5: "not-reached",
  });
});

Deno.test("forEach: outputs are available after the fan-out, by step and node", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    output: { name: { type: "string", summary: "Name" } },
    gives: ({ node }) => ({ name: node.toUpperCase() }),
  });
  const ran = await bench.run(`${each()}
outputs: { third: "\${{ steps.all.a['demo-worker-3'].name }}", done: "\${{ size(result.done) }}" }
`);
  assert.deepEqual(ran.end?.outputs, { third: "DEMO-WORKER-3", done: 5 });
});

Deno.test("only the nodes of the limit walk", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  await bench.run(each(), {}, { limit: ["demo-worker-2", "demo-worker-4"] });
  assert.deepEqual(fakes.done(), [
    "touch demo-worker-2",
    "touch demo-worker-4",
  ]);
});

Deno.test("forEach: a resumed run enters interrupted nodes first, no finished ones, and retries failed ones", async () => {
  const fakes = fakeModules();
  let isWhole = false;
  await using bench = await benchWith(fakes, {
    spoil: ({ node }) => node === "demo-worker-2" && !isWhole ? no : undefined,
  });
  const runbook = each("{ maxFailures: 100% }");
  const first = await bench.run(runbook, {}, {
    on: ({ type, node }, { kill }) => {
      if (type === "step.start" && node === "demo-worker-4") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  isWhole = true;
  const second = await bench.resume();
  assert.equal(second.verdict, "succeeded 0");
  const entered = second.events.flatMap(({ type, node, data }) =>
    type === "node.entered" ? [`${node} ${data.entry}`] : []
  );
  assert.deepEqual(entered, [
    "demo-worker-4 2",
    "demo-worker-2 2",
    "demo-worker-5 1",
  ]);
  assert.equal(second.end?.targets.length, 5);
});

Deno.test("a node that was taken out is not entered, is reported as failed, and others continue", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    spoil: ({ node }) => node === "demo-worker-2" ? no : undefined,
  });
  assert.equal((await bench.run(each())).verdict, "failed 1");
  const second = await bench.resume({
    decisions: [{
      type: "drop",
      node: "demo-worker-2",
      data: { reason: "its disk is dead", by: "tester" },
    }],
  });
  assert.equal(second.verdict, "partial 3");
  assert.deepEqual(second.end?.targets[1], {
    node: "demo-worker-2",
    path: "all",
    state: "failed",
    code: "cancelled",
    message: "dropped: its disk is dead",
  });
});

Deno.test("a node that was done is entered again for a step that is to be done again", async () => {
  const fakes = fakeModules();
  let tries = 0;
  const { change } = fakes;
  await using bench = await openBench({
    modules: [
      change("touch"),
      change("other"),
      change("last", {
        scope: "cluster",
        spoil: () => ++tries === 1 ? no : undefined,
      }),
    ],
  });
  const runbook = `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: workers
    steps: [{ id: a, run: touch }, { id: b, run: other }]
  - { id: last, run: last }
`;
  assert.equal((await bench.run(runbook)).verdict, "failed 1");
  const second = await bench.resume({
    decisions: [{
      type: "decision",
      path: "all/b",
      node: "demo-worker-1",
      data: { verdict: "redo", reason: "", by: "tester" },
    }],
  });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(fakes.done().slice(4), ["other demo-worker-1", "last"]);
});

Deno.test("no node joins a run: one that came later is left alone, and listed", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    quorum: "leaves-temporarily",
    effect: "disrupt",
    tookMs: 20_000,
  });
  const ran = await bench.run(each(), {}, {
    on: async ({ type, node }, { inject }) => {
      if (type !== "node.entered" || node !== "demo-worker-1") return;
      await inject({ what: "joins", role: "worker" });
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.joined, ["demo-worker-6"]);
  assert.equal(fakes.deeds.length, 5);
});

Deno.test("where no node may join, the next fan-out is not started when one has", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { tookMs: 20_000 });
  const ran = await bench.run(
    `
policy: { membership: frozen }
groups: { one: { names: [demo-worker-1] }, workers: { role: worker } }
steps:
  - { id: first, forEach: one, steps: [{ id: a, run: touch }] }
  - { id: second, forEach: workers, steps: [{ id: a, run: touch }] }
`,
    {},
    {
      on: async ({ type, node }, { inject }) => {
        if (type !== "node.entered" || node !== "demo-worker-1") return;
        await inject({ what: "joins", role: "worker" });
      },
    },
  );
  assert.equal(ran.verdict, "blocked 5");
  assert.deepEqual(ran.end?.failure, {
    step: "second",
    code: "refused",
    message: "joined since the run started: demo-worker-6",
  });
  assert.deepEqual(fakes.done(), ["touch demo-worker-1"]);
});

Deno.test("a node that halts lets those inside finish, and all are reported", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { tookMs: 10_000 });
  const ran = await bench.run(each("{ batch: 2 }"), {}, {
    on: ({ type, node }, { stop }) => {
      if (type === "step.start" && node === "demo-worker-2") stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
  assert.deepEqual(states(ran.end), {
    1: "done",
    2: "done",
    3: "not-reached",
    4: "not-reached",
    5: "not-reached",
  });
});

Deno.test("nodes that end while others are unavailable do not end the fan-out: the next enters when there is room", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {
    effect: "disrupt",
    tookMs: 20_000,
  });
  const ran = await bench.run(each("{ batch: 2, maxUnavailable: 2 }"), {}, {
    on: async ({ type, node }, { inject, wait }) => {
      if (type !== "step.start" || node !== "demo-worker-1") return;
      const four = await inject({ what: "unavailable", node: "demo-worker-4" });
      const five = await inject({ what: "unavailable", node: "demo-worker-5" });
      await wait(60_000);
      await four();
      await five();
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(fakes.deeds.length, 5);
});

Deno.test("all nodes are asked to wait for their turn before the first one enters", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  const { events } = await bench.run(each());
  const reported = events.flatMap(({ type, path, node }) =>
    type === "node.queued" || type === "node.entered"
      ? [`${type} ${path} ${node}`]
      : []
  );
  assert.deepEqual(reported.slice(0, 6), [
    ...[1, 2, 3, 4, 5].map((index) => `node.queued all demo-worker-${index}`),
    "node.entered all demo-worker-1",
  ]);
});

Deno.test("events name the batches of a ramp, or how many nodes there are at once", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {});
  const told = async (batch: string) => {
    const { events } = await bench.run(each(`{ batch: ${batch} }`));
    const [group] = events.filter(({ type }) => type === "group.resolved");
    const { atOnce, batches } = group?.data ?? {};
    const of = events.filter(({ type }) => type === "node.entered")
      .map(({ data }) => data.batch);
    return { atOnce, batches, of };
  };
  assert.deepEqual(await told("[1, 2]"), {
    atOnce: undefined,
    batches: 3,
    of: [1, 2, 2, 3, 3],
  });
  assert.deepEqual(await told("2"), {
    atOnce: 2,
    batches: undefined,
    of: [1, 1, 2, 2, 3],
  });
});
