/** How many nodes may be inside their block, be away, and fail. */

import type { NodeFacts } from "../../runbook_cel/facts.ts";
import type { StepOf, Strategy, Window } from "../runbook.ts";
import type { Engine, Seeing } from "./engine.ts";
import type { Failure, Halt } from "./failure.ts";
import { type Frame, groupIn } from "./frame.ts";
import { parseCount } from "./groups.ts";
import { render } from "./scope.ts";
import { closedUntil } from "./window.ts";

/** Limits of a fan-out. */
export interface FanOutBudget {
  /** Nodes at once; of more than one the stages of a ramp, of which the last repeats. */
  readonly batches: readonly number[];
  /** Nodes of the group that may be away for any reason; absent when no node is disturbed. */
  readonly maxUnavailable: number;
  /** Nodes that may fail. */
  readonly maxFailures: number;
  /** Whether the block disturbs its node. */
  readonly disturbs: boolean;
}

/** A fan-out while it continues. */
export interface FanOutRun {
  readonly step: StepOf<"forEach">;
  readonly path: string;
  /** When nodes may begin; at any time when there are none. */
  readonly windows?: readonly Window[];
  readonly frame: Frame;
  readonly names: readonly string[];
  readonly budget: FanOutBudget;
  readonly queue: string[];
  readonly inside: Set<string>;
  readonly failures: Map<string, Failure>;
  halt?: Halt;
  /** Why no other node may begin, although none has failed. */
  refusal?: Failure;
}

/** Time between two looks at who is unavailable, in milliseconds. */
const everyMs = 2_000;

/** How long nodes that are unavailable are waited for, in milliseconds. */
const patienceMs = 5 * 60_000;

/**
 * Limits of a fan-out, in nodes.
 *
 * @param strategy What the runbook says; shares are of the frozen group.
 * @param about Which nodes there are, and whether they are disturbed.
 */
export async function measureBudget(
  engine: Seeing & Pick<Engine, "parallel" | "runbook">,
  frame: Frame,
  strategy: Strategy,
  about: { readonly names: readonly string[]; readonly disturbs: boolean },
): Promise<FanOutBudget> {
  const { names, disturbs } = about;
  const total = names.length;
  const batch = await render(engine, frame, strategy.batch);
  const list = Array.isArray(batch) ? batch : [batch];
  const batches = list.map((one) =>
    Math.max(1, parseCount(one, total, "down"))
  );
  const failures = await render(engine, frame, strategy.maxFailures);
  const away = strategy.maxUnavailable === undefined
    ? batches[0] ?? 1
    : Math.max(
      1,
      parseCount(
        await render(engine, frame, strategy.maxUnavailable),
        total,
        "down",
      ),
    );
  return {
    batches: disturbs
      // Whatever a runbook computes: one control plane at a time.
      ? hasControlPlane(engine, names) ? [1] : batches
      : batches.map((one) => Math.min(one, engine.parallel)),
    maxUnavailable: away,
    maxFailures: parseCount(failures, total, "down"),
    disturbs,
  };
}

function hasControlPlane(
  engine: Pick<Engine, "facts" | "runbook">,
  names: readonly string[],
): boolean {
  const { allow } = engine.runbook.policy;
  // Where etcd has lost its quorum already, one after the other only takes longer.
  if (allow.some(({ rule }) => rule === "etcd-quorum")) return false;
  const wanted = new Set(names);
  return engine.facts.last().nodes.some(({ name, role }) =>
    role === "controlplane" && wanted.has(name)
  );
}

/** What is checked before a node begins. */
export type Watching = Pick<
  Engine,
  "clock" | "facts" | "history" | "stop" | "emit"
>;

/** The next node that may begin. Returns `undefined` when none may begin before another one has ended, or at all. */
export async function mayEnter(
  engine: Watching,
  fan: FanOutRun,
  woken: Promise<void>,
): Promise<string | undefined> {
  const { clock, stop } = engine;
  let ended = false;
  let reported = "";
  let startedAt = clock.now();
  woken.then(() => ended = true);
  while (true) {
    if (stop.soft.aborted || fan.halt !== undefined) return undefined;
    if (fan.refusal !== undefined) return undefined;
    if (fan.failures.size > fan.budget.maxFailures) return undefined;
    if (fan.queue.length === 0 || !hasRoom(fan)) return undefined;
    const closed = closedFor(engine, fan);
    if (closed !== undefined) {
      if (ended) return undefined;
      if (closed !== reported) {
        engine.emit({
          type: "run.waiting",
          data: { reason: closed, for: "window" },
        });
      }
      reported = closed;
      await clock.sleep(everyMs, stop.soft);
      // Patience with nodes that are away begins when the window opens.
      startedAt = clock.now();
      continue;
    }
    const node = await choose(engine, fan);
    // One that was inside already keeps its place, whatever else is unavailable.
    if (wasInside(engine, fan, node) || !fan.budget.disturbs) return node;
    const { nodes } = await engine.facts.recent(fan.names);
    const away = listUnavailable(engine, fan, nodes, node);
    const { maxUnavailable } = fan.budget;
    if (away.length + fan.inside.size + 1 <= maxUnavailable) return node;
    if (ended) return undefined;
    const reason = away.length === 0
      ? `${fan.inside.size} of ${maxUnavailable} are in progress`
      : `unavailable: ${away.join(", ")}; at most ${maxUnavailable} allowed`;
    if (reason !== reported) {
      engine.emit({
        type: "step.waiting",
        path: fan.path,
        node,
        data: { reason },
      });
    }
    reported = reason;
    // Those inside end by themselves, so that waiting for them is enough.
    if (away.length === 0) return undefined;
    if (clock.now() - startedAt >= patienceMs) {
      fan.refusal = tooManyAway(fan, nodes, reason);
      return undefined;
    }
    await clock.sleep(everyMs, stop.soft);
    for (const one of away) engine.facts.forget(one);
  }
}

/** Why nodes that would be cordoned now, and disturbed only later, do not begin; those inside already go on. */
function closedFor(engine: Watching, fan: FanOutRun): string | undefined {
  const { windows = [], queue } = fan;
  if (queue.some((node) => wasInside(engine, fan, node))) return undefined;
  const until = closedUntil(windows, engine.clock.now());
  return until === undefined
    ? undefined
    : `outside the window, which opens at ${until}`;
}

function tooManyAway(
  { path, names }: FanOutRun,
  nodes: readonly NodeFacts[],
  message: string,
): Failure {
  const ours = new Set(names);
  const isPlane = nodes.some(({ name, role }) =>
    role === "controlplane" && ours.has(name)
  );
  const code = isPlane ? "quorum-risk" : "deadline";
  return { code, step: path, message };
}

function hasRoom(fan: FanOutRun): boolean {
  const { batches } = fan.budget;
  if (batches.length === 1) return fan.inside.size < (batches[0] ?? 1);
  // A ramp: each stage is complete before the next one begins.
  const entered = fan.names.length - fan.queue.length;
  let total = 0;
  for (let stage = 0; total < fan.names.length; stage++) {
    const size = batches[Math.min(stage, batches.length - 1)] ?? 1;
    if (entered < total + size) {
      const ended = entered - fan.inside.size;
      return ended >= total;
    }
    total += size;
  }
  return false;
}

/**
 * Number of the batch that a node belongs to, from 1.
 *
 * @param batches Nodes at once; of more than one the stages of a ramp, of which the last repeats.
 * @param begun Which node it is in the order in which they begin, from 1.
 */
export function countBatch(batches: readonly number[], begun: number): number {
  let [batch, total] = [0, 0];
  while (total < begun) {
    total += Math.max(1, batches[Math.min(batch, batches.length - 1)] ?? 1);
    batch++;
  }
  return Math.max(1, batch);
}

/** The first in line; the leader of etcd only when no other node is left. */
async function choose(engine: Watching, fan: FanOutRun): Promise<string> {
  const [first] = fan.queue;
  if (first === undefined) throw new TypeError("Nothing is waiting");
  const { order } = groupIn(fan.frame, fan.step.nodes);
  if (!order.includes("etcdLeaderLast") || wasInside(engine, fan, first)) {
    return first;
  }
  const { nodes } = await engine.facts.recent();
  const leaders = new Set(
    nodes.filter(({ etcd }) => etcd.leader).map(({ name }) => name),
  );
  return fan.queue.find((node) => !leaders.has(node)) ?? first;
}

function wasInside(
  { history }: Watching,
  { path }: FanOutRun,
  node: string,
): boolean {
  const known = history.nodes.get(`${path}@${node}`);
  return known !== undefined && known.state === undefined;
}

/** Nodes of the group that are unavailable although this run does not disturb them; those that may fail, or were taken out, are not waited for. */
function listUnavailable(
  { history }: Watching,
  { names, inside, failures }: FanOutRun,
  nodes: readonly NodeFacts[],
  next: string,
): readonly string[] {
  const ours = new Set(names);
  return nodes.filter(({ name, reachable, ready }) =>
    ours.has(name) && name !== next && !inside.has(name) &&
    !failures.has(name) && !history.dropped.has(name) &&
    !(reachable && ready)
  ).map(({ name }) => name);
}
