/** Budget of a fan-out: nodes in their block, unavailable, and failed. */

import type { NodeFacts } from "../../runbook_cel/facts.ts";
import type { StepOf, Strategy, Window } from "../runbook.ts";
import type { Engine, Seeing } from "./engine.ts";
import type { Halt } from "./failure.ts";
import type { Failure } from "../journal/record.ts";
import { type Frame, groupIn } from "./frame.ts";
import { parseCount } from "./groups.ts";
import { render } from "./scope.ts";
import { outsideWindow } from "./window.ts";

/** Limits of a fan-out. */
export interface FanOutBudget {
  /** Nodes at once; several numbers are the stages of a ramp, the last of which repeats. */
  readonly batches: readonly number[];
  /** Nodes of the group that may be unavailable for any reason; absent when no node is disturbed. */
  readonly maxUnavailable: number;
  readonly maxFailures: number;
  readonly disturbs: boolean;
}

/** State of a running fan-out. */
export interface FanOutRun {
  readonly step: StepOf<"forEach">;
  readonly path: string;
  /** When nodes may start; empty for any time. */
  readonly windows?: readonly Window[];
  readonly frame: Frame;
  readonly names: readonly string[];
  readonly budget: FanOutBudget;
  readonly queue: string[];
  readonly inside: Set<string>;
  readonly failures: Map<string, Failure>;
  halt?: Halt;
  /** Reason why no other node may start, although none has failed. */
  refusal?: Failure;
}

/** Poll interval for unavailable nodes, in milliseconds. */
const everyMs = 2_000;

/** Timeout for unavailable nodes, in milliseconds. */
const patienceMs = 5 * 60_000;

/**
 * Limits of a fan-out, in nodes.
 *
 * @param strategy Strategy of the runbook; percentages are of the frozen group.
 * @param about The nodes, and whether they are disturbed.
 */
export async function measureBudget(
  engine: Seeing & Pick<Engine, "parallel" | "runbook">,
  frame: Frame<unknown>,
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
      // One control plane at a time, whatever the runbook says.
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
  // Where etcd has lost its quorum already, one at a time only takes longer.
  if (allow.some(({ rule }) => rule === "etcd-quorum")) return false;
  const wanted = new Set(names);
  return engine.facts.last().nodes.some(({ name, role }) =>
    role === "controlplane" && wanted.has(name)
  );
}

/** State that is checked before a node starts. */
export type Watching = Pick<
  Engine,
  "clock" | "facts" | "history" | "stop" | "emit"
>;

/** Next node that may start. Returns `undefined` when none may start before another one has finished, or at all. */
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
      // The timeout for unavailable nodes starts when the window opens.
      startedAt = clock.now();
      continue;
    }
    const node = await choose(engine, fan);
    // A node that has started already continues, whatever else is unavailable.
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
    // Nodes inside their block finish by themselves; waiting for them is enough.
    if (away.length === 0) return undefined;
    if (clock.now() - startedAt >= patienceMs) {
      fan.refusal = tooManyAway(fan, nodes, reason);
      return undefined;
    }
    await clock.sleep(everyMs, stop.soft);
    for (const one of away) engine.facts.forget(one);
  }
}

/** Why nodes that would be cordoned now and disturbed only later do not start; started nodes continue. */
function closedFor(engine: Watching, fan: FanOutRun): string | undefined {
  const { windows = [], queue } = fan;
  if (queue.some((node) => wasInside(engine, fan, node))) return undefined;
  return outsideWindow(windows, engine.clock.now());
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
  // A ramp: each stage finishes before the next one starts.
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
 * @param batches Nodes at once; several numbers are the stages of a ramp, the last of which repeats.
 * @param begun Position of the node in the order in which nodes start, from 1.
 */
export function countBatch(batches: readonly number[], begun: number): number {
  let [batch, total] = [0, 0];
  while (total < begun) {
    total += Math.max(1, batches[Math.min(batch, batches.length - 1)] ?? 1);
    batch++;
  }
  return Math.max(1, batch);
}

/** First node of the queue; the etcd leader comes last. */
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

/** Unavailable nodes of the group that this run does not disturb, without those that may fail or were dropped. */
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
