import assert from "node:assert/strict";
import { LockedError } from "../../../../errors.ts";
import type { RunLock } from "../../../../workflows/runbooks/engine/engine_options.ts";
import { openBench, type Ran } from "../_bench.ts";
import { type FakeChange, fakeModules } from "../_fake_modules.ts";

const minuteMs = 60_000;

/** One worker that is restarted. */
function restart(head = "", step = ""): string {
  return `
${head}
groups: { one: { names: [demo-worker-1] } }
steps:
  - { id: all, forEach: one, steps: [{ id: a, run: restart${step} }] }
`;
}

function benchWith(
  fakes: ReturnType<typeof fakeModules>,
  fake: FakeChange = {},
  start?: number,
) {
  return openBench({
    modules: [
      fakes.change("restart", {
        effect: "disrupt",
        quorum: "leaves-temporarily",
        ...fake,
      }),
    ],
    ...(start === undefined ? {} : { start }),
  });
}

function waits({ events }: Ran): readonly unknown[] {
  return [
    ...new Set(
      events.flatMap(({ type, data }) =>
        type === "step.waiting" ? [data.reason] : []
      ),
    ),
  ];
}

/** A Tuesday, 2026-12-01, 19:50 in Berlin. */
const tuesday = Date.UTC(2026, 11, 1, 18, 50);

const evening =
  'policy: { window: { days: [tue], from: "20:00", to: "22:00", zone: Europe/Berlin } }';

Deno.test("nothing is disturbed before a window opens, and the cluster is not held meanwhile", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {}, tuesday);
  const taken: number[] = [];
  const ran = await bench.run(restart(evening), {}, {
    hold: {
      ensure() {
        taken.push(bench.cluster.clock.now());
        return Promise.resolve(undefined);
      },
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(waits(ran), [
    "waiting: outside the window, which opens at Tue 20:00 Europe/Berlin",
  ]);
  const opens = tuesday + 10 * minuteMs;
  assert.ok(fakes.deeds[0]!.at >= opens);
  assert.ok(Math.min(...taken) >= opens);
});

Deno.test("admission: writes need no window", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { effect: "write" }, tuesday);
  const ran = await bench.run(restart(evening));
  assert.deepEqual(waits(ran), []);
});

Deno.test("a node that is cordoned before it is disturbed is not changed before the window opens", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [
      fakes.change("cordon"),
      fakes.change("restart", {
        effect: "disrupt",
        quorum: "leaves-temporarily",
      }),
    ],
    start: tuesday,
  });
  const ran = await bench.run(`
${evening}
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: all
    forEach: one
    steps:
      - { id: first, run: cordon, timeout: 1m }
      - { id: then, block: [{ id: a, run: restart, timeout: 1m }] }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.ok(fakes.deeds[0]!.at >= tuesday + 10 * minuteMs);
  assert.deepEqual(
    ran.events.flatMap(({ type, data }) =>
      type === "run.waiting" ? [data] : []
    ),
    [{
      reason: "outside the window, which opens at Tue 20:00 Europe/Berlin",
      for: "window",
    }],
  );
});

Deno.test("a wish to stop ends the wait for a window, and the run is stopped", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {}, tuesday);
  const ran = await bench.run(restart(evening), {}, {
    on: ({ type }, { stop }) => {
      if (type === "step.waiting") stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
  assert.deepEqual(fakes.done(), []);
});

Deno.test("the timeout of a step ends the wait for a window", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {}, tuesday);
  const ran = await bench.run(restart(evening, ", timeout: 1m"));
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "refused");
});

Deno.test("nothing is disturbed after the deadline of the run", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const ran = await bench.run(`
policy: { deadline: 30m }
groups: { one: { names: [demo-worker-1] } }
steps:
  - { id: wait, sleep: 31m }
  - { id: all, forEach: one, steps: [{ id: a, run: restart }] }
`);
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.code, "deadline");
  assert.match(ran.end?.failure?.message ?? "", /deadline of the run \(30m\)/);
  assert.deepEqual(fakes.done(), []);
});

Deno.test("the deadline is that of the run, not of the process", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const first = await bench.run(restart("policy: { deadline: 30m }"), {}, {
    killAt: 1,
  });
  assert.equal(first.verdict, "killed");
  await bench.pass(31 * minuteMs);
  assert.equal((await bench.resume()).verdict, "failed 4");
});

Deno.test("where no node may join, nothing is disturbed when one has", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const ran = await bench.run(
    `
policy: { membership: frozen }
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: all
    forEach: one
    steps:
      - { id: wait, sleep: 1m }
      - { id: a, run: restart }
`,
    {},
    {
      on: async ({ type, path }, { inject }) => {
        if (type !== "step.start" || path !== "all/wait") return;
        await inject({ what: "joins", role: "worker" });
      },
    },
  );
  assert.equal(ran.verdict, "blocked 5");
  assert.match(
    ran.end?.failure?.message ?? "",
    /joined since the run started: demo-worker-3 \(S16\)/,
  );
  assert.deepEqual(fakes.done(), []);
});

/** A lock that is gone for a while from now on. */
function holdGone(
  now: () => number,
  goneMs: number,
): RunLock {
  let until: number | undefined;
  return {
    ensure() {
      until ??= now() + goneMs;
      return Promise.resolve(
        now() < until ? "the run has lost its lock on the cluster" : undefined,
      );
    },
  };
}

for (const effect of ["write", "disrupt"] as const) {
  Deno.test(`a lock that is lost and regained is waited for before a node is changed (${effect})`, async () => {
    const fakes = fakeModules();
    await using bench = await benchWith(fakes, { effect });
    const { now } = bench.cluster.clock;
    const began = now();
    const ran = await bench.run(restart(), {}, {
      hold: holdGone(now, 5 * minuteMs),
    });
    assert.equal(ran.verdict, "succeeded 0");
    assert.ok(fakes.deeds[0]!.at - began >= 5 * minuteMs);
    assert.deepEqual(waits(ran), [
      "waiting: the run has lost its lock on the cluster",
    ]);
  });
}

Deno.test("a lock that stays lost blocks the run", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const { now } = bench.cluster.clock;
  const ran = await bench.run(restart(), {}, { hold: holdGone(now, Infinity) });
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "lease-lost");
  assert.deepEqual(fakes.done(), []);
});

Deno.test("admission: does not wait for a lock of another run", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const began = bench.cluster.clock.now();
  const ran = await bench.run(restart(), {}, {
    hold: {
      ensure: () =>
        Promise.reject(
          new LockedError("Another run has locked the cluster: run-2"),
        ),
    },
  });
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "lease-lost");
  assert.match(ran.end?.failure?.message ?? "", /run-2/);
  assert.equal(bench.cluster.clock.now(), began);
});

const overridden = `
policy:
  allow: [{ rule: degraded-etcd, when: inputs.on, reason: a disk is slow }]
inputs: { on: { type: bool, default: true } }
groups: { workers: { role: worker } }
steps:
  - { id: ok, approve: { tag: wipe, destructive: true, message: "Lose it?" } }
  - id: all
    forEach: { nodes: workers, strategy: { batch: 2 } }
    steps: [{ id: a, run: restart }]
`;

Deno.test("a rule that is overridden is requested once, by all nodes together, with the name of the cluster", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const asked: unknown[] = [];
  const ran = await bench.run(overridden, {}, {
    answers: async (request) => {
      asked.push(request);
      await bench.cluster.clock.sleep(minuteMs);
      return { approved: true, by: "ann", how: "terminal" };
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(asked.slice(1), [{
    tag: "allow-degraded-etcd",
    path: "allow/degraded-etcd",
    message: 'Override the safety rule "degraded-etcd" (a disk is slow)',
    destructive: true,
    typed: "demo",
  }]);
  assert.equal(fakes.deeds.length, 2);
});

Deno.test("a rule whose condition does not hold is not overridden, and not asked for", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const ran = await bench.run(overridden, { on: false }, { answers: true });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(
    ran.events.flatMap(({ type, data }) =>
      type === "approval.requested" ? [data.tag] : []
    ),
    ["wipe"],
  );
});

Deno.test("a rule that may not be overridden now stops the run", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const ran = await bench.run(overridden, {}, { answers: { wipe: true } });
  assert.equal(ran.verdict, "waiting-approval 76");
  assert.deepEqual(fakes.done(), []);
});

Deno.test("losing data takes an approval of its own, and no second one for the rule", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { effect: "destroy" });
  const runbook = overridden.replace("degraded-etcd", "destroy-etcd-data");
  const ran = await bench.run(runbook, {}, { answers: { wipe: true } });
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(fakes.deeds.length, 2);
});

Deno.test("admission: checks in this order: window, deadline, approval, lock, etcd", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, { effect: "destroy" }, tuesday);
  const { now } = bench.cluster.clock;
  const runbook = restart(
    evening.replace("policy: {", "policy: { deadline: 1m,"),
  );
  const hold = holdGone(now, Infinity);
  const first = await bench.run(runbook, {}, { hold });
  // The window opened behind the deadline.
  assert.match(String(waits(first)[0]), /outside the window/);
  assert.equal(first.end?.failure?.code, "deadline");
  const second = await bench.run(restart(evening), {}, { hold });
  assert.match(second.end?.failure?.message ?? "", /no destructive approval/);
});

const recovery = `
policy: { allow: [{ rule: etcd-quorum }, { rule: destroy-etcd-data }] }
groups: { all: { role: controlplane } }
steps:
  - { id: ok, approve: { tag: wipe, destructive: true, message: "Lose it?" } }
  - id: each
    forEach: { nodes: all, strategy: { batch: 100% } }
    steps: [{ id: a, run: restart }]
`;

Deno.test("without a quorum that counts control planes do not wait for one another, and the leader is none", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    controlPlanes: 5,
    modules: [
      fakes.change("restart", {
        effect: "destroy",
        quorum: "dies",
        tookMs: minuteMs,
      }),
    ],
  });
  const ran = await bench.run(recovery, {}, { answers: true });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(waits(ran), []);
  const times = fakes.deeds.map(({ at }) => at);
  assert.equal(times.length, 5);
  assert.ok(Math.max(...times) - Math.min(...times) < minuteMs);
});

Deno.test("admission: a reason that blocks all nodes is reported for the run, once", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes, {}, tuesday);
  const reasons = ["the lease is gone", "the lease is gone", "nobody answers"];
  const ran = await bench.run(restart(evening), {}, {
    hold: { ensure: () => Promise.resolve(reasons.shift()) },
  });
  assert.equal(ran.verdict, "succeeded 0");
  const reported = ran.events.filter(({ type }) => type === "run.waiting");
  assert.deepEqual(reported.map(({ data }) => data), [
    {
      reason: "outside the window, which opens at Tue 20:00 Europe/Berlin",
      for: "window",
    },
    { reason: "the lease is gone", for: "lease" },
    { reason: "nobody answers", for: "lease" },
  ]);
});

Deno.test("admission: a stopping run finishes started steps, also disruptive ones", async () => {
  const fakes = fakeModules();
  await using bench = await benchWith(fakes);
  const finishing = restart("", " }], always: [{ id: b, run: restart");
  const ran = await bench.run(finishing, {}, {
    on: async ({ type, path }, { wait, stop }) => {
      if (type !== "step.start" || path !== "all/a") return;
      await wait(500);
      stop();
    },
  });
  assert.deepEqual([ran.verdict, fakes.done()], ["succeeded 0", [
    "restart demo-worker-1",
    "restart demo-worker-1",
  ]]);
});
