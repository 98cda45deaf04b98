import assert from "node:assert/strict";
import {
  type FanOutBudget,
  type FanOutRun,
  mayEnter,
  measureBudget,
  type Watching,
} from "../../../../workflows/runbooks/engine/budget.ts";
import type { Frame } from "../../../../workflows/runbooks/engine/frame.ts";
import { Halt } from "../../../../workflows/runbooks/engine/failure.ts";
import type { NodeFacts } from "../../../../workflows/runbook_cel/facts.ts";
import { RunHistory } from "../../../../workflows/runbooks/journal/history.ts";
import type {
  OrderKey,
  Runbook,
  Strategy,
} from "../../../../workflows/runbooks/runbook.ts";
import type { OverridableRule } from "../../../../workflows/operations/safety_rules.ts";
import { node } from "../../runbook_cel/_scope.ts";
import { demo } from "../store/_runs.ts";

function makeFrame(runbook: Runbook): Frame {
  return {
    book: { runbook, path: "", inputs: {}, vars: {} },
    path: "",
    entry: 1,
    outputs: new Map(),
    around: [],
    fresh: false,
    finishing: false,
    stopPoint: { isSafe: true },
  };
}

/** Facts that are what they are now. */
function makeFacts(nodes: NodeFacts[]) {
  const known = () => ({
    cluster: { id: "c1", name: "lab", endpoint: "", versions: [] },
    nodes,
    readAt: 0,
  });
  return { last: known, recent: () => Promise.resolve(known()) };
}

const ten = Array.from({ length: 10 }, (_, index) => node(`w-${index}`));

/** Limits for ten nodes that a strategy is given; templates are what they are. */
function limits(
  strategy: Partial<Strategy>,
  { disturbs = true, nodes = ten, allow = [] as OverridableRule[] } = {},
): Promise<FanOutBudget> {
  const runbook: Runbook = {
    ...demo,
    policy: { ...demo.policy, allow: allow.map((rule) => ({ rule })) },
  };
  const engine = {
    runbook,
    parallel: 4,
    facts: { ...makeFacts(nodes), forget() {} },
    groups: new Map(),
    decisions: new Map(),
    evaluator: {
      evaluate: () => null,
      render: (template: Strategy["batch"]) => template,
      references: () => new Set<string>(),
    },
  };
  const whole: Strategy = { batch: 1, maxFailures: 0, ...strategy };
  const names = nodes.map(({ name }) => name);
  return measureBudget(engine, makeFrame(runbook), whole, { names, disturbs });
}

Deno.test("numbers are taken as they are, shares of the group are rounded down", async () => {
  assert.deepEqual(
    await limits({ batch: 3, maxUnavailable: 2, maxFailures: 1 }),
    { batches: [3], maxUnavailable: 2, maxFailures: 1, disturbs: true },
  );
  assert.deepEqual(
    await limits({ batch: "25%", maxUnavailable: "35%", maxFailures: "19%" }),
    { batches: [2], maxUnavailable: 3, maxFailures: 1, disturbs: true },
  );
});

Deno.test("at least one node may begin, and be away; no failure is allowed unless it is said", async () => {
  const share = { batch: "5%", maxUnavailable: "5%", maxFailures: "5%" };
  assert.deepEqual(await limits(share), {
    batches: [1],
    maxUnavailable: 1,
    maxFailures: 0,
    disturbs: true,
  });
  assert.equal((await limits({ maxFailures: "100%" })).maxFailures, 10);
});

Deno.test("as many may be away as the first batch has, unless it is said", async () => {
  assert.equal((await limits({ batch: 3 })).maxUnavailable, 3);
  assert.equal((await limits({ batch: [2, "50%"] })).maxUnavailable, 2);
});

Deno.test("a list is a ramp", async () => {
  const { batches } = await limits({ batch: [1, "10%", "25%", 5] });
  assert.deepEqual(batches, [1, 1, 2, 5]);
});

Deno.test("budget: non-disruptive steps are limited by concurrency only", async () => {
  const { batches } = await limits({ batch: [2, "100%"] }, { disturbs: false });
  assert.deepEqual(batches, [2, 4]);
  assert.deepEqual((await limits({ batch: "100%" })).batches, [10]);
});

Deno.test("control planes are disturbed one at a time, whatever is said", async () => {
  const role = "controlplane";
  const nodes = [node("cp-1", { role }), node("cp-2", { role })];
  assert.deepEqual((await limits({ batch: 2 }, { nodes })).batches, [1]);
  assert.deepEqual(
    (await limits({ batch: 2 }, { nodes, disturbs: false })).batches,
    [2],
  );
  const lost = { nodes, allow: ["etcd-quorum" as const] };
  assert.deepEqual((await limits({ batch: 2 }, lost)).batches, [2]);
  const other = { nodes, allow: ["degraded-etcd" as const] };
  assert.deepEqual((await limits({ batch: 2 }, other)).batches, [1]);
});

/** A fan-out over five nodes that nobody has started. */
function makeFanOut(
  budget: Partial<FanOutBudget> = {},
  { order = [] as OrderKey[], names = ["a", "b", "c", "d", "e"] } = {},
): FanOutRun {
  const runbook: Runbook = {
    ...demo,
    groups: { workers: { ...demo.groups.workers!, order } }, // it has it
  };
  return {
    step: {
      id: "workers",
      onFailure: "fail",
      pointOfNoReturn: false,
      place: demo.place,
      verb: "forEach",
      nodes: "workers",
      strategy: { batch: 1, maxFailures: 0 },
      steps: [],
      rescue: [],
      always: [],
    },
    path: "workers",
    frame: makeFrame(runbook),
    names,
    budget: {
      batches: [2],
      maxUnavailable: 2,
      maxFailures: 0,
      disturbs: true,
      ...budget,
    },
    queue: [...names],
    inside: new Set(),
    failures: new Map(),
  };
}

/** A run that watches these nodes; two seconds later they are as `later` says. */
function watching(nodes: NodeFacts[], later?: (waits: number) => void) {
  const reported: string[] = [];
  const forgotten: (string | undefined)[] = [];
  const stop = new AbortController();
  let waits = 0;
  const engine: Watching = {
    history: new RunHistory(),
    facts: { ...makeFacts(nodes), forget: (name) => void forgotten.push(name) },
    stop: { soft: stop.signal, hard: stop.signal },
    clock: {
      now: () => 0,
      sleep(ms) {
        assert.equal(ms, 2_000);
        assert.ok(later, "nobody waits here");
        later(++waits);
        return Promise.resolve();
      },
    },
    emit: (event) => {
      assert.ok(event.type === "run.waiting" || event.type === "step.waiting");
      const { type, node, data: { reason } } = event;
      reported.push(`${type} ${node}: ${reason}`);
    },
  };
  return { engine, reported, forgotten, stop };
}

function five(...away: readonly string[]): NodeFacts[] {
  return ["a", "b", "c", "d", "e"].map((name) =>
    node(name, { ready: !away.includes(name) })
  );
}

const never = new Promise<void>(() => {});

/** Lets nodes in until no more may begin, or it has been waited for long enough. */
async function enterAll(
  engine: Watching,
  fan: FanOutRun,
  woken: Promise<void> = never,
): Promise<string> {
  const entered: string[] = [];
  for (;;) {
    const next = await mayEnter(engine, fan, woken);
    if (next === undefined) return entered.join("");
    fan.queue.splice(fan.queue.indexOf(next), 1);
    fan.inside.add(next);
    entered.push(next);
  }
}

Deno.test("as many begin as the batch has, and one more for each that ends", async () => {
  const { engine, reported } = watching(five());
  const fan = makeFanOut();
  assert.equal(await enterAll(engine, fan), "ab");
  fan.inside.delete("a");
  assert.equal(await enterAll(engine, fan), "c");
  fan.inside.clear();
  assert.equal(await enterAll(engine, fan), "de");
  fan.inside.clear();
  assert.equal(await enterAll(engine, fan), "");
  assert.deepEqual(reported, []);
});

Deno.test("each stage of a ramp is complete before the next, the last one repeats", async () => {
  const { engine } = watching(five());
  const fan = makeFanOut({ batches: [1, 2], maxUnavailable: 5 });
  assert.equal(await enterAll(engine, fan), "a");
  fan.inside.clear();
  assert.equal(await enterAll(engine, fan), "bc");
  fan.inside.delete("b");
  assert.equal(await enterAll(engine, fan), "");
  fan.inside.clear();
  assert.equal(await enterAll(engine, fan), "de");
});

Deno.test("no node begins when more have failed than may, or the run ends", async () => {
  const failure = { code: "busy", step: "s", message: "m" } as const;
  const { engine, stop } = watching(five());
  const fan = makeFanOut({ maxFailures: 1 });
  fan.failures.set("x", failure);
  assert.equal(await enterAll(engine, fan), "ab");
  fan.inside.clear();
  fan.failures.set("y", failure);
  assert.equal(await enterAll(engine, fan), "");
  const halted = makeFanOut();
  halted.halt = new Halt("stop", "m");
  assert.equal(await enterAll(engine, halted), "");
  stop.abort();
  assert.equal(await enterAll(engine, makeFanOut()), "");
});

Deno.test("nodes that are unavailable for any reason count, those of others do not", async () => {
  const once = Promise.resolve();
  const others = node("other", { ready: false });
  const unready = watching([...five("e"), others]);
  assert.equal(await enterAll(unready.engine, makeFanOut(), once), "a");
  const lost = five();
  lost[4] = node("e", { reachable: false });
  assert.equal(await enterAll(watching(lost).engine, makeFanOut(), once), "a");
  assert.equal(
    await enterAll(watching([...five(), others]).engine, makeFanOut()),
    "ab",
  );
  // One that is unavailable itself may be repaired by its block, and counts once.
  const itself = watching(five("a", "e"));
  assert.equal(await enterAll(itself.engine, makeFanOut(), once), "a");
});

Deno.test("nodes that have failed, or were taken out, are not waited for", async () => {
  const failure = { code: "busy", step: "s", message: "m" } as const;
  const failed = makeFanOut({ maxFailures: 1 });
  failed.failures.set("e", failure);
  assert.equal(await enterAll(watching(five("e")).engine, failed), "ab");
  const { engine } = watching(five("e"));
  engine.history.dropped.set("e", "broken");
  assert.equal(await enterAll(engine, makeFanOut()), "ab");
});

Deno.test("too many that are unavailable are waited for, and it is said once", async () => {
  const nodes = five("d", "e");
  const { engine, reported, forgotten } = watching(nodes, (waits) => {
    if (waits === 3) nodes[3] = node("d");
  });
  assert.equal(await mayEnter(engine, makeFanOut(), never), "a");
  assert.deepEqual(reported, [
    "step.waiting a: unavailable: d, e; at most 2 allowed",
  ]);
  assert.equal(forgotten.join(), "d,e,d,e,d,e");
});

Deno.test("a node that waits continues when another has ended, or the run stops", async () => {
  const { engine } = watching(five("d", "e"), () => {});
  const woken = Promise.resolve();
  assert.equal(await mayEnter(engine, makeFanOut(), woken), undefined);
  const stopping = watching(five("d", "e"), () => stopping.stop.abort());
  assert.equal(await mayEnter(stopping.engine, makeFanOut(), never), undefined);
});

Deno.test("where only nodes of ours are unavailable, their end is enough to wait for", async () => {
  const { engine, reported } = watching(five());
  const fan = makeFanOut({ batches: [5] });
  assert.equal(await enterAll(engine, fan), "ab");
  assert.deepEqual(reported, ["step.waiting c: 2 of 2 are in progress"]);
});

Deno.test("budget: non-disruptive steps start regardless of unavailable nodes", async () => {
  const { engine } = watching(five("c", "d", "e"));
  const fan = makeFanOut({ disturbs: false, batches: [4] });
  assert.equal(await enterAll(engine, fan), "abcd");
});

Deno.test("a node that was inside before keeps its place, whichever nodes are unavailable", async () => {
  const { engine } = watching(five("d", "e"));
  engine.history.nodes.set("workers@a", { entry: 1 });
  engine.history.nodes.set("workers@b", { entry: 1, state: "failed" });
  assert.equal(await mayEnter(engine, makeFanOut(), never), "a");
});

Deno.test("the etcd leader begins when no other node is left", async () => {
  const nodes = five();
  const leads = (name: string) => {
    for (const [index, one] of nodes.entries()) {
      nodes[index] = {
        ...one,
        etcd: { ...one.etcd, leader: one.name === name },
      };
    }
  };
  leads("a");
  const { engine } = watching(nodes);
  const one = { batches: [1], maxUnavailable: 1 };
  const fan = makeFanOut(one, {
    order: ["etcdLeaderLast"],
    names: ["a", "b", "c"],
  });
  assert.equal(await enterAll(engine, fan), "b");
  fan.inside.clear();
  // Leadership has moved.
  leads("c");
  assert.equal(await enterAll(engine, fan), "a");
  fan.inside.clear();
  assert.equal(await enterAll(engine, fan), "c");
  leads("a");
  assert.equal(await enterAll(engine, makeFanOut(one)), "a");
  // One that was inside before goes first, whether it leads or not.
  engine.history.nodes.set("workers@a", { entry: 1 });
  const taken = makeFanOut(one, { order: ["etcdLeaderLast"] });
  assert.equal(await enterAll(engine, taken), "a");
});
