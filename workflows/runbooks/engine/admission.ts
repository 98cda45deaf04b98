/** Leave to disturb a node of a run: what the runbook, the operator and the clock say, and then the quorum. */

import type { Progress } from "../../operation.ts";
import type {
  AdmissionRequest,
  Arbiter,
  Slot,
} from "../../operations/arbiter.ts";
import type { Allowance, Refusal } from "../../operations/quorum.ts";
import type { Loosenable } from "../runbook.ts";
import { ask, destructiveMs } from "./asking.ts";
import type { Engine } from "./engine.ts";
import type { Frame } from "./frame.ts";
import type { Doing } from "./run_module.ts";
import { holds, milliseconds } from "./scope.ts";
import { closedUntil } from "./window.ts";

/** Time between two looks, in milliseconds. */
const everyMs = 2_000;

/** Rules the arbiter knows; the others are for modules and gates. */
const quorumRules: ReadonlySet<Loosenable> = new Set<Loosenable & Allowance>([
  "degraded-etcd",
  "etcd-quorum",
  "single-member-downtime",
]);

/** An arbiter for one step. */
export function admission(engine: Engine, frame: Frame, doing: Doing): Arbiter {
  async function* admit(
    request: AdmissionRequest,
  ): AsyncGenerator<Progress, Slot | Refusal> {
    const { effect, signal } = request;
    const held = await engine.hold.ensure();
    if (effect !== "disrupt" && effect !== "destroy") {
      return held === undefined
        ? yield* engine.arbiter.admit(request)
        : lost(held);
    }
    await loosen(engine);
    while (true) {
      // Each look is at how things are then.
      const refusal = await hindrance(engine, frame, request);
      if (refusal === undefined) break;
      if (!refusal.passing || signal.aborted) return refusal;
      yield { text: `waiting: ${refusal.reason}` };
      await engine.clock.sleep(everyMs, signal);
      if (signal.aborted || isStopping(engine, frame)) return refusal;
    }
    const slot = yield* engine.arbiter.admit(request);
    if ("rule" in slot) return slot;
    const refusal = await lastLook(engine, request, doing);
    if (refusal === undefined) return slot;
    slot.release();
    return refusal;
  }
  return { admit };
}

function lost(reason: string): Refusal {
  return { rule: "S16", reason, passing: true, code: "lease-lost" };
}

function isStopping({ stop }: Engine, { position, finishing }: Frame): boolean {
  return stop.soft.aborted && !position.carrying && !finishing;
}

/** What forbids it for now, or for good, before etcd is asked. */
async function hindrance(
  engine: Engine,
  frame: Frame,
  { effect }: AdmissionRequest,
): Promise<Refusal | undefined> {
  const { clock, runbook, history } = engine;
  const { policy } = runbook;
  const held = await engine.hold.ensure();
  if (held !== undefined) return lost(held);
  if (isStopping(engine, frame)) {
    const reason = "the run is stopping";
    return { rule: "S16", reason, passing: false, code: "cancelled" };
  }
  // Between an install and the restart nothing but etcd counts: half of it is worse than late.
  if (frame.position.carrying || frame.finishing) return undefined;
  const until = closedUntil(policy.window, clock.now());
  if (until !== undefined) {
    const reason = `no window is open before ${until}`;
    return { rule: "S16", reason, passing: true };
  }
  const { deadline } = policy;
  if (deadline !== undefined && engine.top !== undefined) {
    const longest = await milliseconds(engine, engine.top, deadline);
    const begun = Date.parse(history.startedAt) || engine.begunAt;
    if (clock.now() - begun > longest) {
      const reason = `the deadline of the run (${String(deadline)}) has passed`;
      return { rule: "S16", reason, passing: false, code: "deadline" };
    }
  }
  if (policy.membership === "frozen") {
    const reason = await changedMembers(engine);
    if (reason !== undefined) return { rule: "S16", reason, passing: true };
  }
  return effect === "destroy" ? unapproved(engine) : undefined;
}

async function changedMembers(engine: Engine): Promise<string | undefined> {
  const { nodes } = await engine.facts.recent();
  const now = new Set(nodes.map(({ name }) => name));
  const joined = [...now].filter((name) => !engine.members.has(name));
  const left = [...engine.members].filter((name) => !now.has(name));
  const parts = [
    joined.length > 0 ? `joined since the run began: ${joined.join(", ")}` : "",
    left.length > 0 ? `gone since the run began: ${left.join(", ")}` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Copies of what etcd holds, by the modules that make or choose one. */
const copies = ["etcd.snapshot", "etcd.chooseSource", "etcd.copyDatabase"];

function unapproved(engine: Engine): Refusal | undefined {
  const { clock, destroyApprovedAt, modules, allowedNow } = engine;
  if (clock.now() - destroyApprovedAt > destructiveMs) {
    return {
      rule: "S14",
      reason: "nobody has approved within the last hour that data is lost",
      passing: false,
    };
  }
  const copied = copies.some((name) => modules.has(name));
  if (copied || allowedNow.has("destroy-etcd-data")) return undefined;
  return {
    rule: "S14",
    reason: "this run has no verified copy of what would be lost",
    passing: false,
  };
}

/** Asks for each rule that is to be loosened now, once, and tells the arbiter. */
async function loosen(engine: Engine): Promise<void> {
  const { runbook, top, allowed, allowedNow } = engine;
  if (top === undefined) return;
  for (const { rule, when, reason } of runbook.policy.allow) {
    const isOn = when === undefined || await holds(engine, top, when);
    if (!isOn) {
      allowedNow.delete(rule);
      if (isAllowance(rule)) allowed.delete(rule);
      continue;
    }
    if (!allowedNow.has(rule)) {
      const { name } = engine.facts.last().cluster;
      // One question after the other.
      await ask(engine, {
        tag: `allow-${rule}`,
        path: `allow/${rule}`,
        message: `Loosen the safety rule "${rule}"${
          reason === undefined ? "" : ` (${reason})`
        }`,
        destructive: true,
        typed: name,
      }, 24 * destructiveMs);
    }
    allowedNow.add(rule);
    if (isAllowance(rule)) allowed.add(rule);
  }
}

function isAllowance(rule: Loosenable): rule is Loosenable & Allowance {
  return quorumRules.has(rule);
}

/** What is looked at when etcd has said yes. */
async function lastLook(
  engine: Engine,
  { node, quorum }: AdmissionRequest,
  { module }: Doing,
): Promise<Refusal | undefined> {
  const { nodes } = await engine.facts.recent();
  const facts = nodes.find(({ name, address }) =>
    name === node || address === node
  );
  if (facts === undefined) return undefined;
  if (facts.stage === "resetting") {
    const reason =
      `${node} is being reset, and a restart would leave it half wiped`;
    return { rule: "S17", reason, passing: false };
  }
  if (quorum === "none" || facts.role !== "controlplane") return undefined;
  const { voters, leader } = facts.etcd;
  const isSingle = voters === 1 && engine.allowed.has("single-member-downtime");
  if (isSingle && !engine.modules.has("etcd.snapshot")) {
    return {
      rule: "S3",
      reason: "etcd has one member, and this run has taken no snapshot of it",
      passing: false,
    };
  }
  if (leader && voters > 1 && module.name !== "etcd.forfeitLeadership") {
    return await stillLeads(engine, node)
      ? {
        rule: "S5",
        reason:
          `${node} leads etcd; hand over before with etcd.forfeitLeadership`,
        passing: true,
      }
      : undefined;
  }
  return undefined;
}

async function stillLeads(engine: Engine, node: string): Promise<boolean> {
  const { facts, memberOf } = await engine.cluster.view.readEtcd();
  return facts.leader !== "" && facts.leader === memberOf.get(node);
}
