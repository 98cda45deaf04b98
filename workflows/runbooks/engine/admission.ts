/** Leave to disturb a node of a run: what the runbook, the operator and the clock say, and then the quorum. */

import type { Effect, OperationProgress } from "../../operations/operation.ts";
import type { QuorumEffect, Refusal } from "../../etcd/quorum.ts";
import type { Arbiter, Slot } from "../../operations/arbiter.ts";
import { destructiveMs } from "./operator_questions.ts";
import { LockedError } from "../../../errors.ts";
import type { Engine } from "./engine.ts";
import type { Frame, StepCall } from "./frame.ts";
import { overrideRules, quorumAgain } from "./rule_overrides.ts";
import { changedMembers } from "./membership.ts";
import { milliseconds } from "./scope.ts";
import type { NodeFacts } from "../../runbook_cel/facts.ts";
import { isOpen, splitKey } from "../journal/resume_state.ts";
import { closedUntil } from "./window.ts";

/** Time between two looks, in milliseconds. */
const everyMs = 2_000;

/** How long a reason that may pass by itself is waited for, in milliseconds; windows open when they open. */
const patienceMs: Readonly<Record<string, number>> = {
  "lease-lost": 15 * 60_000,
  S5: 60_000,
};

/** What holds up everything that would disturb nodes, by code or rule. */
const blockers: Readonly<Record<string, "lease" | "window">> = {
  "lease-lost": "lease",
  S16: "window",
};

/** An arbiter for one step. */
export function admission(engine: Engine, call: StepCall): Arbiter {
  async function* admit(
    ...request: Parameters<Arbiter["admit"]>
  ): AsyncGenerator<OperationProgress, Slot | Refusal> {
    const [{ signal }] = request;
    const since = new Map<string, number>();
    while (true) {
      // Each look is at how things are then.
      const seen = yield* look(engine, call, request);
      if ("release" in seen) {
        engine.waits = "";
        return seen;
      }
      const { code = seen.rule, reason, passing } = seen;
      const startedAt = since.get(code) ?? engine.clock.now();
      since.set(code, startedAt);
      const left = startedAt + (patienceMs[code] ?? Infinity) -
        engine.clock.now();
      if (!passing || isOfArbiter(seen) || left <= 0) return seen;
      emitWaiting(engine, blockers[code], reason);
      yield { text: `waiting: ${reason}` };
      await engine.clock.sleep(everyMs, signal);
      if (signal.aborted) return seen;
    }
  }
  return { admit };
}

/** Tells once what the run as a whole waits for, whatever nodes found it out. */
function emitWaiting(
  engine: Engine,
  what: "lease" | "window" | undefined,
  reason: string,
): void {
  if (what === undefined || engine.waits === reason) return;
  engine.waits = reason;
  engine.emit({ type: "run.waiting", data: { reason, for: what } });
}

function isDisturbing(effect: Effect): boolean {
  return effect === "disrupt" || effect === "destroy";
}

function isOfArbiter({ rule }: Refusal): boolean {
  return ["S1", "S2", "S3", "S4"].includes(rule);
}

/** Asks everybody once: first what costs nothing, then etcd, and then once more what may have changed meanwhile. */
async function* look(
  engine: Engine,
  call: StepCall,
  request: Parameters<Arbiter["admit"]>,
): AsyncGenerator<OperationProgress, Slot | Refusal> {
  const [{ node }, operation, input, effect] = request;
  if (isDisturbing(effect)) await overrideRules(engine);
  const hindered = await blockingReason(engine, call, effect);
  if (hindered !== undefined) return hindered;
  const slot = isGone(engine)
    ? unguarded
    : yield* engine.arbiter.admit(...request);
  if ("rule" in slot || !isDisturbing(effect)) return slot;
  let refusal: Refusal | undefined;
  let isGranted = false;
  try {
    refusal = await blockingReason(engine, call, effect) ??
      await lastLook(engine, call, node, operation.quorum(input)) ??
      await unfounded(engine, effect, operation.quorum(input));
    isGranted = refusal === undefined;
  } finally {
    if (!isGranted) slot.release();
  }
  return refusal ?? slot;
}

/** While the quorum does not count, no node waits for others, and none leads. */
function isGone({ allowed }: Engine): boolean {
  return allowed.has("etcd-quorum");
}

const unguarded: Slot = { release() {} };

function isRefusingStart(
  { stop }: Engine,
  { stopPoint, finishing }: Frame,
): boolean {
  return stop.soft.aborted && stopPoint.isSafe && !finishing;
}

/** What forbids it for now, or for good, before etcd is asked. */
async function blockingReason(
  engine: Engine,
  frame: Frame,
  effect: Effect,
): Promise<Refusal | undefined> {
  const own = isDisturbing(effect)
    ? await ownHindrance(engine, frame, effect)
    : undefined;
  // The lock is taken last: no other run waits for one that only waits itself.
  return own ?? await unlocked(engine);
}

async function ownHindrance(
  engine: Engine,
  frame: Frame,
  effect: Effect,
): Promise<Refusal | undefined> {
  const { clock, runbook, history } = engine;
  const { policy } = runbook;
  if (isRefusingStart(engine, frame)) {
    const reason = "the run is stopping";
    return { rule: "S16", reason, passing: false, code: "cancelled" };
  }
  // Between an install and the restart nothing but etcd counts: half of it is worse than late.
  if (!frame.stopPoint.isSafe || frame.finishing) return undefined;
  const until = closedUntil(policy.window, clock.now());
  if (until !== undefined) {
    const reason = `outside the window, which opens at ${until}`;
    return { rule: "S16", reason, passing: true };
  }
  const { deadline } = policy;
  if (deadline !== undefined && engine.top !== undefined) {
    const longest = await milliseconds(engine, engine.top, deadline);
    if (clock.now() - Date.parse(history.startedAt) > longest) {
      const reason = `the deadline of the run (${String(deadline)}) has passed`;
      return { rule: "S16", reason, passing: false, code: "deadline" };
    }
  }
  const changed = await changedMembers(engine);
  if (changed !== undefined) {
    return { rule: "S16", reason: changed, passing: false };
  }
  return effect === "destroy" ? unapproved(engine) : undefined;
}

/** Why the lock on the cluster is not held. */
async function unlocked({ lock }: Engine): Promise<Refusal | undefined> {
  try {
    const reason = await lock.ensure();
    return reason === undefined
      ? undefined
      : { rule: "S16", reason, passing: true, code: "lease-lost" };
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const reason = error.message;
    return { rule: "S16", reason, passing: false, code: "lease-lost" };
  }
}

/** Copies of what etcd holds, by the modules that make or choose one. */
const copies = ["etcd.snapshot", "etcd.chooseSource", "etcd.copyDatabase"];

function unapproved(engine: Engine): Refusal | undefined {
  const { clock, destroyApprovedAt, history, allowedNow } = engine;
  if (clock.now() - destroyApprovedAt > destructiveMs) {
    return {
      rule: "S14",
      reason: "no destructive approval was given within the last hour",
      passing: false,
    };
  }
  const copied = copies.some((name) => history.modules.has(name));
  if (copied || allowedNow.has("destroy-etcd-data")) return undefined;
  return {
    rule: "S14",
    reason: "this run has no verified copy of the data that would be lost",
    passing: false,
  };
}

async function lastLook(
  engine: Engine,
  call: StepCall,
  node: string,
  quorum: QuorumEffect,
): Promise<Refusal | undefined> {
  const { module } = call;
  const { nodes } = await engine.facts.recent([node]);
  const facts = nodes.find(({ name, address }) =>
    name === node || address === node
  );
  if (facts === undefined) return undefined;
  if (facts.stage === "resetting" || isResetOpen(engine, call, facts)) {
    const reason =
      `${node} is being reset, and a reboot would leave it partly wiped`;
    return { rule: "S17", reason, passing: false };
  }
  const isMember = quorum !== "none" && facts.role === "controlplane";
  if (!isMember || isGone(engine)) return undefined;
  const { voters, leader } = facts.etcd;
  const isSingle = voters === 1 && engine.allowed.has("single-member-downtime");
  if (isSingle && !engine.history.modules.has("etcd.snapshot")) {
    return {
      rule: "S3",
      reason: "etcd has a single member, and this run has taken no snapshot",
      passing: false,
    };
  }
  if (leader && voters > 1 && module.name !== "etcd.forfeitLeadership") {
    return await stillLeads(engine, node)
      ? {
        rule: "S5",
        reason: `${node} is the etcd leader; run etcd.forfeitLeadership first`,
        passing: true,
      }
      : undefined;
  }
  return undefined;
}

/**
 * What forbids to destroy when that was allowed by what etcd was then: it is asked again, as the last of all.
 *
 * One whose members are back is healthy, whatever this run has seen before.
 */
async function unfounded(
  engine: Engine,
  effect: Effect,
  quorum: QuorumEffect,
): Promise<Refusal | undefined> {
  if (effect !== "destroy" || quorum === "none") return undefined;
  await overrideRules(engine, "etcd-quorum");
  return isGone(engine) ? undefined : quorumAgain(engine);
}

/** Operations that wipe a node, which a restart would cut off. */
const resets: ReadonlySet<string> = new Set(["reset", "node.resetEphemeral"]);

/** Whether another step of this run has sent a reset to the node whose end is not written down. */
function isResetOpen(
  { history }: Engine,
  { path: own }: StepCall,
  { name }: Pick<NodeFacts, "name">,
): boolean {
  return [...history.instances].some(([key, instance]) => {
    const { path, node } = splitKey(key);
    return node === name && path !== own && isOpen(instance) &&
      resets.has(instance.intent?.operation ?? "");
  });
}

async function stillLeads(engine: Engine, node: string): Promise<boolean> {
  const { facts, memberOf } = await engine.cluster.view.readEtcd();
  return facts.leader !== "" && facts.leader === memberOf.get(node);
}
