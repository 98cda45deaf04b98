/** Admits disruptions of nodes: checks the runbook, the operator, the clock, and then the etcd quorum. */

import type { Effect, OperationProgress } from "../../operations/operation.ts";
import type { QuorumEffect, Refusal, RunCondition } from "../../etcd/quorum.ts";
import { isDisturbing } from "../../modules/module.ts";
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
import { outsideWindow } from "./window.ts";

/** Poll interval, in milliseconds. */
const everyMs = 2_000;

/** Timeout for each reason that may resolve by itself, in milliseconds; closed windows have none. */
const patienceMs: Readonly<Record<string, number>> = {
  "lease-lost": 15 * 60_000,
  S5: 60_000,
};

/** Refusals that block every disruption of the run, by code. */
const blockers: Readonly<Record<string, "lease" | "window">> = {
  "lease-lost": "lease",
  "outside-window": "window",
};

/** Refuses by a condition of S16. `passing`: waiting may help. */
function refuse(
  code: RunCondition,
  reason: string,
  passing = false,
): Refusal {
  return { rule: "S16", code, reason, passing };
}

/** Makes the arbiter for one step. */
export function admission(engine: Engine, call: StepCall): Arbiter {
  async function* admit(
    ...request: Parameters<Arbiter["admit"]>
  ): AsyncGenerator<OperationProgress, Slot | Refusal> {
    const [{ signal }] = request;
    const since = new Map<string, number>();
    while (true) {
      // Polls are sequential.
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

/** Reports once what the run as a whole waits for, whichever node reported it. */
function emitWaiting(
  engine: Engine,
  what: "lease" | "window" | undefined,
  reason: string,
): void {
  if (what === undefined || engine.waits === reason) return;
  engine.waits = reason;
  engine.emit({ type: "run.waiting", data: { reason, for: what } });
}

function isOfArbiter({ rule }: Refusal): boolean {
  return ["S1", "S2", "S3", "S4"].includes(rule);
}

/** Checks once: the cheap checks first, then etcd, and then again those whose result may have changed meanwhile. */
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
      await refuseWithoutQuorum(engine, effect, operation.quorum(input));
    isGranted = refusal === undefined;
  } finally {
    if (!isGranted) slot.release();
  }
  return refusal ?? slot;
}

/** True when the quorum rule is overridden: nodes do not wait for each other, and there is no leader. */
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

/** Reason to refuse the disruption, for now or for good, before etcd is checked. */
async function blockingReason(
  engine: Engine,
  frame: Frame,
  effect: Effect,
): Promise<Refusal | undefined> {
  const own = isDisturbing(effect)
    ? await ownHindrance(engine, frame, effect)
    : undefined;
  // The lock is taken last, so that a run that is waiting does not block others.
  return own ?? await refuseUnlocked(engine);
}

async function ownHindrance(
  engine: Engine,
  frame: Frame,
  effect: Effect,
): Promise<Refusal | undefined> {
  const { clock, runbook, history } = engine;
  const { policy } = runbook;
  if (isRefusingStart(engine, frame)) {
    return refuse("cancelled", "the run is stopping");
  }
  // Between an install and the restart only etcd counts: a half-done upgrade is worse than a late one.
  if (!frame.stopPoint.isSafe || frame.finishing) return undefined;
  const closed = outsideWindow(policy.window, clock.now());
  if (closed !== undefined) return refuse("outside-window", closed, true);
  const { deadline } = policy;
  if (deadline !== undefined && engine.top !== undefined) {
    const longest = await milliseconds(engine, engine.top, deadline);
    if (clock.now() - Date.parse(history.startedAt) > longest) {
      const reason = `the deadline of the run (${String(deadline)}) has passed`;
      return refuse("deadline", reason);
    }
  }
  const changed = await changedMembers(engine);
  if (changed !== undefined) return refuse("membership-changed", changed);
  return effect === "destroy" ? refuseUnapproved(engine) : undefined;
}

/** Reason why the cluster lock is not held. */
async function refuseUnlocked({ lock }: Engine): Promise<Refusal | undefined> {
  try {
    const reason = await lock.ensure();
    return reason === undefined
      ? undefined
      : refuse("lease-lost", reason, true);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    return refuse("lease-lost", error.message);
  }
}

/** Modules that create or choose a copy of the etcd data. */
export const copies: readonly string[] = [
  "etcd.snapshot",
  "etcd.chooseSource",
  "etcd.copyDatabase",
];

function refuseUnapproved(engine: Engine): Refusal | undefined {
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
    return { rule: "S17", reason: resetReason(node), passing: false };
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
 * Reason to refuse a destructive step that an earlier state of etcd allowed: etcd is checked again, last of all.
 *
 * An etcd whose members are back is healthy, whatever this run has seen before.
 */
async function refuseWithoutQuorum(
  engine: Engine,
  effect: Effect,
  quorum: QuorumEffect,
): Promise<Refusal | undefined> {
  if (effect !== "destroy" || quorum === "none") return undefined;
  await overrideRules(engine, "etcd-quorum");
  return isGone(engine) ? undefined : quorumAgain(engine);
}

/** Reason of S17. */
export function resetReason(node: string): string {
  return `${node} is being reset, and a reboot would leave it partly wiped`;
}

/** Operations that wipe a node; a restart would interrupt them. */
const resets: ReadonlySet<string> = new Set(["reset", "node.resetEphemeral"]);

/** True when another step of this run has sent the node a reset whose outcome is not recorded. */
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
