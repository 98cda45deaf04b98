import assert from "node:assert/strict";
import { LockedError, RefusedError } from "../../../../errors.ts";
import { openBench } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

const each = `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: { nodes: workers, strategy: { maxFailures: "\${{ inputs.may }}" } }
    steps: [{ id: a, run: touch }]
  - { id: last, run: mark }
inputs: { may: { type: countOrPercent, default: 0 } }
outputs:
  done: "\${{ result.done.map(n, n.name) }}"
  failed: "\${{ result.failed.map(n, n.name) }}"
`;

function bench(fails: readonly string[] = []) {
  const fakes = fakeModules();
  const open = () =>
    openBench({
      modules: [
        fakes.change("touch", {
          spoil: ({ node }) =>
            fails.includes(node)
              ? { outcome: "failed", reason: "no" }
              : undefined,
        }),
        fakes.change("mark", { scope: "cluster" }),
      ],
    });
  return { fakes, open };
}

Deno.test("a run that has done all of it has succeeded", async () => {
  const { open } = bench();
  await using bench_ = await open();
  const began = bench_.cluster.clock.now();
  const ran = await bench_.run(each);
  assert.deepEqual(ran.end, {
    run: "run-1",
    runbook: "bench",
    cluster: "demo",
    state: "succeeded",
    status: 0,
    startedAt: new Date(began).toISOString(),
    endedAt: new Date(began + 3_000).toISOString(),
    targets: [1, 2].map((number) => ({
      node: `demo-worker-${number}`,
      path: "all",
      state: "done",
      tookMs: 1_000,
    })),
    nodes: [1, 2].map((number) => ({
      node: `demo-worker-${number}`,
      path: "all",
      state: "done",
      tookMs: 1_000,
      role: "worker",
      from: "v1.13.4",
      to: "v1.13.4",
    })),
    skipped: [],
    residue: [],
    artifacts: [],
    outputs: { done: ["demo-worker-1", "demo-worker-2"], failed: [] },
  });
});

Deno.test("the first record says what a run is about, the last one how it ended", async () => {
  const { open } = bench(["demo-worker-1"]);
  await using bench_ = await open();
  const { records } = await bench_.run(each, { may: 1 });
  assert.equal(records[0]?.type, "run.start");
  assert.deepEqual(records[0]?.data, {
    operator: "tester@bench",
    inputs: { may: 1 },
    groups: { "#workers": ["demo-worker-1", "demo-worker-2"] },
    members: ["demo-controlplane-1", "demo-worker-1", "demo-worker-2"],
    versions: {
      "demo-controlplane-1": "v1.13.4",
      "demo-worker-1": "v1.13.4",
      "demo-worker-2": "v1.13.4",
    },
  });
  assert.equal(records.at(-1)?.type, "run.end");
  assert.deepEqual(records.at(-1)?.data, {
    state: "partial",
    status: 3,
    outputs: { done: ["demo-worker-2"], failed: ["demo-worker-1"] },
  });
});

Deno.test("a run that has failed says where, and gives nothing", async () => {
  const { open } = bench(["demo-worker-1"]);
  await using bench_ = await open();
  const { end, records } = await bench_.run(each);
  assert.equal(`${end?.state} ${end?.status}`, "failed 1");
  assert.deepEqual(end?.outputs, {});
  const failure = {
    step: "all/a",
    code: "precondition",
    message: "demo-worker-1 failed: touch: demo-worker-1: no",
  };
  assert.deepEqual(end?.failure, failure);
  assert.deepEqual(records.at(-1)?.data?.failure, failure);
});

Deno.test("run: an invalid value is a usage error as long as nothing was sent", async () => {
  const { open } = bench();
  await using bench_ = await open();
  const wrong = (first: string) => `
groups: { none: { names: [] } }
steps:
  - { id: first, ${first} }
  - { id: sum, decide: { name: sum, value: "\${{ 1 / size(groups.none) }}" } }
`;
  assert.equal((await bench_.run(wrong("sleep: 1s"))).verdict, "failed 2");
  assert.equal((await bench_.run(wrong("run: mark"))).verdict, "failed 1");
});

Deno.test("a run that continues says so, counts its entries, and does not begin again", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  const first = await bench_.run(each, {}, {
    on: ({ type }, { kill }) => {
      if (type === "node.ended") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await bench_.pass(60_000);
  const second = await bench_.resume();
  assert.equal(second.verdict, "succeeded 0");
  assert.equal(second.events[0]?.type, "run.resumed");
  const resumed = second.records.filter(({ type }) => type === "run.resume");
  assert.deepEqual(resumed.map(({ data }) => data), [{ entry: 2 }]);
  assert.equal(fakes.deeds.length, 3);
  assert.equal(second.end?.startedAt, first.records[0]?.ts);
  assert.equal(second.end?.targets.length, 2);
});

Deno.test("a run that has ended well does nothing when it is resumed", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  await bench_.run(each);
  const before = bench_.cluster.observe().calls
    .filter(({ mutating }) => mutating).length;
  const again = await bench_.resume();
  assert.equal(again.verdict, "succeeded 0");
  assert.equal(fakes.deeds.length, 3);
  const after = bench_.cluster.observe().calls
    .filter(({ mutating }) => mutating).length;
  assert.equal(after, before);
});

Deno.test("run: reports residue on nodes", async () => {
  const fakes = fakeModules();
  await using bench_ = await openBench({
    modules: [
      fakes.change("node.cordon"),
      fakes.change("upgrade.install"),
      fakes.change("node.uncordon"),
    ],
  });
  const { end } = await bench_.run(`
groups: { workers: { role: worker }, one: { names: [demo-worker-1] } }
steps:
  - { id: all, forEach: workers, steps: [{ id: c, run: node.cordon }] }
  - { id: one, forEach: one, steps: [{ id: i, run: upgrade.install }, { id: u, run: node.uncordon }] }
`);
  assert.deepEqual(end?.residue, [
    {
      kind: "armed",
      node: "demo-worker-1",
      message:
        "demo-worker-1 has an installed version that it was not rebooted into",
    },
    {
      kind: "cordoned",
      node: "demo-worker-2",
      message: "demo-worker-2 is still cordoned",
    },
  ]);
});

Deno.test("an output without a value fails the run, which is written down with all it did", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  const ran = await bench_.run(each.replace(
    /outputs:[^]*/,
    `outputs: { first: "\${{ result.failed[0].name }}" }\n`,
  ));
  assert.equal(ran.verdict, "failed 1");
  assert.equal(ran.end?.failure?.step, "outputs/first");
  assert.equal(fakes.deeds.length, 3);
  assert.equal(ran.records.at(-1)?.type, "run.end");
});

const others = {
  name: "one node may not fail, and another process has the lock",
  may: 0,
  error: new LockedError("Run goes on elsewhere", { hint: "Watch it" }),
  verdict: "blocked 8",
  code: "lease-lost",
  message:
    "Run goes on elsewhere (Watch it); this process saw: demo-worker-1 failed: touch: demo-worker-1: no",
};

for (
  const { name, may, error, verdict, code, message } of [others, {
    ...others,
    name: "one node may fail",
    may: 1,
    message: "Run goes on elsewhere (Watch it)",
  }, {
    ...others,
    name: "another process has ended it",
    error: new RefusedError("An old copy"),
    verdict: "blocked 5",
    code: "refused",
    message:
      "An old copy; this process saw: demo-worker-1 failed: touch: demo-worker-1: no",
  }]
) {
  Deno.test(`a run that did not go well says whether another process was at it: ${name}`, async () => {
    const { open } = bench(["demo-worker-1"]);
    await using bench_ = await open();
    const ran = await bench_.run(each, { may }, {
      hold: {
        ensure: () => Promise.resolve(undefined),
        isTaken: () => error instanceof LockedError,
        elsewhere: () => Promise.resolve(error),
      },
    });
    assert.equal(ran.verdict, verdict);
    const { failure } = ran.end ?? {};
    assert.deepEqual([failure?.code, failure?.message], [code, message]);
    assert.deepEqual(ran.records.at(-1)?.data?.failure, failure);
  });
}

Deno.test("a lock that ran out is another process's when that has it since", async () => {
  const { open } = bench();
  await using bench_ = await open();
  let isTaken = false;
  let asked = 0;
  const hold = (isLate: boolean) => ({
    ensure: () =>
      Promise.reject(new LockedError(isLate ? "It ran out" : "B has it")),
    isTaken: () => isTaken,
    elsewhere() {
      asked++;
      isTaken = true;
      return Promise.resolve(new LockedError("B goes on with it"));
    },
  });
  const late = await bench_.run(each, {}, { hold: hold(true) });
  assert.equal(late.verdict, "blocked 8");
  assert.match(
    late.end?.failure?.message ?? "",
    /^B goes on with it; this process saw: demo-worker-1 failed: .*It ran out/,
  );
  // Known nodes are not read again.
  const taken = await bench_.run(each, {}, { hold: hold(false) });
  assert.equal(taken.verdict, "blocked 8");
  assert.match(
    taken.end?.failure?.message ?? "",
    /^demo-worker-1 failed: .*B has it/,
  );
  assert.equal(asked, 1);
});

Deno.test("a step in doubt blocks a run as such, whoever has the lock", async () => {
  const fakes = fakeModules();
  const spoil = () => ({ outcome: "in-doubt", reason: "no reply" }) as const;
  await using bench_ = await openBench({
    modules: [
      fakes.change("touch", { spoil }),
      fakes.change("mark", { scope: "cluster" }),
    ],
  });
  const ran = await bench_.run(each, {}, {
    hold: {
      ensure: () => Promise.resolve(undefined),
      isTaken: () => true,
      elsewhere: () => Promise.resolve(undefined),
    },
  });
  assert.deepEqual([ran.verdict, ran.end?.failure?.code], [
    "blocked 5",
    "in-doubt",
  ]);
});

Deno.test("a run that went well, or whose process knows nothing of others, asks for none", async () => {
  let asked = 0;
  const hold = {
    ensure: () => Promise.resolve(undefined),
    elsewhere: () => Promise.resolve(void asked++),
  };
  const good = bench();
  await using one = await good.open();
  assert.equal((await one.run(each, {}, { hold })).verdict, "succeeded 0");
  assert.equal(asked, 0);
  const bad = bench(["demo-worker-1"]);
  await using other = await bad.open();
  assert.equal((await other.run(each, {}, { hold })).verdict, "failed 1");
  assert.equal(asked, 1);
});

Deno.test("a node begins its block when the disk has it", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: [fakes.change("touch", {})] });
  const text = new TextDecoder();
  let [written, kept] = ["", ""];
  const begun: boolean[] = [];
  await bench.run(
    `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: { nodes: workers }
    steps: [{ id: a, run: touch }]
`,
    {},
    {
      through: (store) => ({
        async write(bytes) {
          await store.write(bytes);
          written += text.decode(bytes);
        },
        async sync() {
          await store.sync();
          kept = written;
        },
      }),
      on({ type, node }) {
        if (type !== "node.entered") return;
        begun.push(
          kept.includes(`"type":"enter","path":"all","node":"${node}"`),
        );
      },
    },
  );
  assert.deepEqual(begun, [true, true]);
});

Deno.test("the time of a node and of its step counts from their start in an interrupted process", async () => {
  const modules = [fakeModules().change("touch", { tookMs: 10_000 })];
  await using bench = await openBench({ modules });
  const runbook = `
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: { nodes: workers }
    steps: [{ id: a, run: touch }]
`;
  const killed = await bench.run(runbook, {}, {
    on: async ({ type, node }, { kill, wait }) => {
      if (type !== "step.start" || node !== "demo-worker-2") return;
      await wait(4_000);
      kill();
    },
  });
  assert.equal(killed.verdict, "killed");
  const start =
    killed.events.find(({ type, node }) =>
      type === "node.entered" && node === "demo-worker-2"
    )?.at ?? NaN;
  await bench.pass(60_000);
  const resumed = await bench.resume();
  const of = (wanted: string) =>
    resumed.events.find(({ type, node }) =>
      type === wanted && node === "demo-worker-2"
    );
  assert.equal(
    of("node.entered")?.data.startedAt,
    new Date(start).toISOString(),
  );
  const ended = of("node.ended");
  assert.deepEqual(ended?.data, {
    state: "done",
    tookMs: (ended?.at ?? NaN) - start,
    resumed: true,
  });
  assert.ok((ended?.at ?? NaN) - start > 64_000);
  const begun = resumed.events.find(({ type, path }) =>
    type === "step.start" && path === "all"
  );
  const first = killed.events.find(({ type }) => type === "node.entered")?.at;
  assert.equal(begun?.data.startedAt, new Date(first ?? NaN).toISOString());
});
