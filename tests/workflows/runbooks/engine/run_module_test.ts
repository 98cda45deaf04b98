import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../../errors.ts";
import { backoffMs } from "../../../../workflows/runbooks/engine/run_module.ts";
import { openBench, type Ran } from "../_bench.ts";
import { type FakeChange, fakeCheck, fakeModules } from "../_fake_modules.ts";

const away = () => new RpcError("UNAVAILABLE", "nobody is there");

function retries({ events }: Ran): readonly unknown[] {
  return events.flatMap(({ type, data }) =>
    type === "step.retry" ? [data.waitMs] : []
  );
}

async function ranWith(fake: FakeChange, rest: string) {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.change("work", { scope: "cluster", ...fake })],
  });
  const began = bench.cluster.clock.now();
  const ran = await bench.run(`steps: [{ id: w, run: work, ${rest} }]`);
  return { ran, fakes, tookMs: bench.cluster.clock.now() - began };
}

Deno.test("a module is tried once when nothing is said", async () => {
  const { ran } = await ranWith({
    retryable: ["unavailable"],
    spoil: () => ({ outcome: "failed", reason: "no", code: "unreachable" }),
  }, "timeout: 1m");
  assert.equal(ran.verdict, "failed 1");
  assert.equal(ran.end?.failure?.code, "unavailable");
});

Deno.test("a module is tried again after the failures it names, with longer waits between", async () => {
  const { ran, fakes } = await ranWith(
    {
      retryable: ["busy"],
      spoil: ({ nth }) => {
        if (nth < 5) throw new RpcError("ABORTED", "busy");
      },
    },
    "retry: { attempts: 5, backoff: { initial: 2s, factor: 3, max: 20s, jitter: none } }",
  );
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(retries(ran), [2_000, 6_000, 18_000, 20_000]);
  assert.deepEqual(fakes.done(), ["work"]);
});

Deno.test("a wait with jitter is a random part of the whole", () => {
  const retry = {
    attempts: 5,
    backoff: { initial: "4s", factor: 2, max: "1m", jitter: "full" } as const,
  };
  assert.equal(backoffMs(retry, 1, () => 0.5), 2_000);
  assert.equal(backoffMs(retry, 2, () => 0), 0);
  assert.equal(backoffMs(retry, 9, () => 1), 60_000);
  assert.equal(backoffMs(undefined, 1, () => 1), 0);
});

Deno.test("attempts are those in all", async () => {
  const { ran } = await ranWith({
    retryable: ["busy"],
    spoil: () => {
      throw new RpcError("ABORTED", "busy");
    },
  }, "retry: 3");
  assert.equal(ran.verdict, "failed 1");
  assert.equal(retries(ran).length, 2);
});

Deno.test("a runbook narrows after which failures a module is tried again", async () => {
  const { ran } = await ranWith({
    retryable: ["busy", "precondition"],
    spoil: () => {
      throw new RpcError("ABORTED", "busy");
    },
  }, "retry: { attempts: 3, on: [precondition] }");
  assert.deepEqual(retries(ran), []);
});

Deno.test("retries: a non-repeatable step is retried only when nothing was done", async () => {
  let tries = 0;
  const fake: FakeChange = {
    idempotency: "once",
    retryable: ["not-started"],
    spoil: () => {
      tries++;
      throw tries === 1
        ? new ConnectError("refused", "away")
        : new RpcError("ABORTED", "busy");
    },
  };
  const { ran } = await ranWith(fake, "retry: 5");
  // The first was never sent, and the node said no to the second.
  assert.equal(tries, 2);
  assert.equal(ran.end?.failure?.code, "busy");
});

Deno.test("retries: a non-repeatable step is retried when nothing was sent", async () => {
  let looks = 0;
  const fake: FakeChange = {
    idempotency: "once",
    retryable: ["not-started"],
    unseen() {
      if (++looks < 3) throw away();
    },
  };
  const { ran, fakes } = await ranWith(fake, "retry: 5");
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(retries(ran).length, 2);
  assert.deepEqual(fakes.done(), ["work"]);
});

Deno.test("retries: a non-repeatable step is not retried when its end was not seen", async () => {
  const { ran, fakes } = await ranWith({
    idempotency: "once",
    retryable: ["not-started"],
    verify: () => ({ outcome: "failed", reason: "no", code: "unreachable" }),
  }, "retry: 5");
  assert.equal(ran.end?.failure?.code, "unavailable");
  assert.deepEqual(retries(ran), []);
  assert.deepEqual(fakes.done(), ["work"]);
});

Deno.test("an attempt that takes too long fails, and the next one asks what became of it", async () => {
  const { ran, fakes } = await ranWith({
    retryable: ["deadline"],
    tookMs: 90_000,
    reconcile: () => "done",
  }, "timeout: 1m, retry: 2");
  assert.equal(ran.verdict, "succeeded 0");
  // It was sent once.
  assert.deepEqual(fakes.done(), []);
  assert.equal(ran.records.filter(({ type }) => type === "intent").length, 1);
});

Deno.test("an attempt that the node refused is started again", async () => {
  const { ran } = await ranWith({
    retryable: ["busy"],
    reconcile: () => "unknown",
    spoil: ({ nth }) => {
      if (nth === 1) throw new RpcError("ABORTED", "busy");
    },
  }, "retry: 2");
  assert.equal(ran.verdict, "succeeded 0");
  assert.equal(ran.records.filter(({ type }) => type === "intent").length, 2);
});

Deno.test("without another try a timeout is a timeout", async () => {
  const { ran, tookMs } = await ranWith({ tookMs: 90_000 }, "timeout: 1m");
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.code, "deadline");
  assert.equal(tookMs, 60_000);
});

Deno.test("a wish to stop ends the wait before the next attempt", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.change("work", {
      scope: "cluster",
      retryable: ["busy"],
      spoil: () => {
        throw new RpcError("ABORTED", "busy");
      },
    })],
  });
  const ran = await bench.run(
    "steps: [{ id: w, run: work, retry: { attempts: 9, backoff: { initial: 1h, max: 1h } } }]",
    {},
    {
      on: ({ type }, { stop }) => {
        if (type === "step.retry") stop();
      },
    },
  );
  assert.equal(ran.verdict, "stopped 75");
});

Deno.test("a look is repeated until its condition holds", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.look("see", {
      scope: "cluster",
      output: { ok: { type: "int", summary: "Number" } },
      gives: ({ nth }) => {
        if (nth === 1) throw away();
        return { ok: nth };
      },
    })],
  });
  const began = bench.cluster.clock.now();
  const ran = await bench.run(`
steps: [{ id: w, run: see, until: { condition: result.ok == 4, poll: 5s, timeout: 1m } }]
outputs: { ok: "\${{ steps.w.ok }}" }
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.outputs, { ok: 4 });
  assert.equal(bench.cluster.clock.now() - began, 15_000);
});

Deno.test("a condition that does not come true in time fails the step with what was seen last", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.look("see", {
      scope: "cluster",
      output: { ok: { type: "int", summary: "Number" } },
      gives: () => ({ ok: 1 }),
    })],
  });
  const ran = await bench.run(`
steps: [{ id: w, run: see, until: { condition: result.ok == 4, poll: 5s, timeout: 1m } }]
`);
  assert.equal(ran.verdict, "failed 4");
  assert.equal(
    ran.end?.failure?.message,
    '"result.ok == 4" did not become true: {"ok":1}',
  );
});

Deno.test("a module has the values of the runbook, and its own where none is given", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [fakes.change("work", {
      input: {
        mode: { type: "string", summary: "Mode", initial: "gentle" },
        size: { type: "int", summary: "Size", initial: 1 },
        node: { type: "node", summary: "Node" },
        more: { type: "string", summary: "More" },
      },
    })],
  });
  const ran = await bench.run(`
inputs: { more: { type: string, required: false } }
steps: [{ id: w, run: work, with: { node: demo-worker-2, size: "\${{ 1 + 2 }}", more: "\${{ inputs.more }}" } }]
`);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(fakes.deeds.map(({ node, input }) => ({ node, input })), [{
    node: "demo-worker-2",
    input: { mode: "gentle", size: 3, node: "demo-worker-2" },
  }]);
  const result = ran.records.find(({ type }) => type === "result");
  assert.equal(result?.data?.target, "demo-worker-2");
});

/** A node between an install and the look that comes behind the restart. */
const armed = `
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: all
    forEach: one
    steps:
      - { id: install, run: install }
      - { id: handover, run: handover }
      - { id: restart, run: restart }
      - { id: see, run: see }
      - { id: last, run: last }
`;

function armModules({ change, look }: ReturnType<typeof fakeModules>) {
  return [
    change("install", { safeAfter: false }),
    change("handover"),
    change("restart", { safeAfter: false }),
    look("see", { gives: () => ({}) }),
    change("last"),
  ];
}

Deno.test("between an install and the look behind the restart a run does not stop", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: armModules(fakes) });
  const ran = await bench.run(armed, {}, {
    on: ({ type, path }, { stop }) => {
      if (type === "step.start" && path === "all/install") stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
  assert.equal(ran.end?.failure?.message, "stopped before all/last");
  assert.deepEqual(fakes.done(), [
    "install demo-worker-1",
    "handover demo-worker-1",
    "restart demo-worker-1",
  ]);
});

Deno.test("a stop ends the soak after the first check; resume prepares the node again, and restarts nothing", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({
    modules: [
      fakes.change("drain", { volatile: true }),
      ...armModules(fakes),
      fakes.change("uncordon"),
    ],
    checks: [fakeCheck("well", () => true)],
  });
  const ran = await bench.run(
    `
groups: { one: { names: [demo-worker-1] } }
steps:
  - id: all
    forEach: one
    steps:
      - { id: drain, run: drain }
      - { id: restart, run: restart }
      - { id: see, run: see }
      - { id: soak, gate: well, within: 1m, holdFor: 30s }
    always: [{ id: uncordon, run: uncordon }]
`,
    {},
    {
      on: ({ type, path }, { stop }) => {
        if (type === "step.start" && path === "all/restart") stop();
      },
    },
  );
  assert.equal(ran.verdict, "stopped 75");
  assert.equal(ran.end?.failure?.message, "stopped before all/soak");
  const first = ["drain", "restart", "uncordon"];
  assert.deepEqual(fakes.done(), first.map((name) => `${name} demo-worker-1`));
  assert.equal((await bench.resume()).verdict, "succeeded 0");
  const all = [...first, "drain", "uncordon"];
  assert.deepEqual(fakes.done(), all.map((name) => `${name} demo-worker-1`));
});

Deno.test("retries: an installation from before the process died is not repeated", async () => {
  const fakes = fakeModules();
  await using bench = await openBench({ modules: armModules(fakes) });
  const first = await bench.run(armed, {}, {
    on: ({ type, path }, { kill }) => {
      if (type === "step.start" && path === "all/handover") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await bench.pass(60_000);
  assert.equal((await bench.resume()).verdict, "succeeded 0");
  assert.deepEqual(fakes.done(), [
    "install demo-worker-1",
    "handover demo-worker-1",
    "restart demo-worker-1",
    "last demo-worker-1",
  ]);
});

Deno.test("the end of a step that reads the version of its node reports it", async () => {
  await using bench = await openBench();
  const ran = await bench.run(`
groups: { workers: { role: worker } }
steps:
  - id: all
    forEach: { nodes: workers }
    steps: [{ id: read, run: node.system }]
`);
  const read = ran.events.find(({ type, path }) =>
    type === "step.done" && path === "all/read"
  );
  assert.equal(read?.data.version, "v1.13.4");
});
