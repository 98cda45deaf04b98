/** Safety rules that a runbook overrides: the operator is asked once for each, on first use. */

import {
  type Allowance,
  countQuorum,
  type Refusal,
} from "../../etcd/quorum.ts";
import type { Frame } from "./frame.ts";
import type { OverridableRule } from "../../operations/safety_rules.ts";
import { ask, destructiveMs } from "./operator_questions.ts";
import type { Engine } from "./engine.ts";
import { Halt } from "./failure.ts";
import { holds } from "./scope.ts";

/** Rules of the arbiter; the others are for modules and gates. */
const quorumRules: ReadonlySet<OverridableRule> = new Set<
  OverridableRule & Allowance
>([
  "degraded-etcd",
  "etcd-quorum",
  "single-member-downtime",
]);

/**
 * Asks for approval of the rules to override now, and passes them to the arbiter.
 *
 * @param only One rule; default all of the runbook's.
 * @throws {Halt} When there is no terminal to ask on, or the answer was no.
 */
export async function overrideRules(
  engine: Engine,
  only?: OverridableRule,
): Promise<void> {
  // Nodes that start at the same time ask the same question.
  const own = engine.overriding.then(() => overrideNow(engine, only));
  engine.overriding = own.catch((error) => {
    if (error instanceof Halt) throw error;
  });
  engine.overriding.catch(() => {});
  await own;
}

/**
 * Reports whether a rule is overridden now; asks for it first.
 *
 * @throws {Halt} When there is no terminal to ask on, or the answer was no.
 */
export async function isOverridden(
  engine: Engine,
  rule: OverridableRule,
): Promise<boolean> {
  const { allow } = engine.runbook.policy;
  if (!allow.some((one) => one.rule === rule)) return false;
  await overrideRules(engine, rule);
  return engine.allowedNow.has(rule);
}

async function overrideNow(
  engine: Engine,
  only: OverridableRule | undefined,
): Promise<void> {
  const { runbook, top, allowed, allowedNow } = engine;
  if (top === undefined) return;
  for (const { rule, when, reason } of runbook.policy.allow) {
    if (only !== undefined && rule !== only) continue;
    if (rule === "etcd-quorum") await assessAgain(engine, top);
    const isOn = when === undefined || await holds(engine, top, when);
    if (!isOn) {
      allowedNow.delete(rule);
      if (isAllowance(rule)) allowed.delete(rule);
      continue;
    }
    const isKnown = allowedNow.has(rule) && !isOfFacts(engine, rule);
    if (!isKnown && !isGranted(engine, rule)) {
      const { name } = engine.facts.last().cluster;
      await ask(engine, {
        tag: `allow-${rule}`,
        path: formatPath(rule),
        message: `Override the safety rule "${rule}"${
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

/** True for rules that are approved elsewhere, or that this run has shown to apply. */
function isGranted(engine: Engine, rule: OverridableRule): boolean {
  // S14 asks for an approval of its own before each loss.
  if (rule === "destroy-etcd-data") return true;
  return rule === "etcd-quorum" && lostIn(engine.history).length > 0 &&
    quorumAgain(engine) === undefined;
}

/** True when a rule is overridden by facts, without an answer. */
function isOfFacts({ history }: Engine, rule: OverridableRule): boolean {
  return rule === "etcd-quorum" &&
    history.approvals.get(formatPath(rule))?.approved !== true;
}

function formatPath(rule: OverridableRule): string {
  return `allow/${rule}`;
}

/** Top-level steps that have found the etcd quorum lost. */
function lostIn({ instances }: Engine["history"]): readonly string[] {
  return [...instances].flatMap(([path, { result }]) =>
    result?.module === "etcd.assess" && result.outputs.quorum === false
      ? [path]
      : []
  );
}

/** Checks etcd again after such a step: members may have come back since. */
async function assessAgain(engine: Engine, top: Frame): Promise<void> {
  const paths = lostIn(engine.history);
  if (paths.length === 0) return;
  const { facts: { members, healthy } } = await engine.cluster.view.readEtcd();
  const voters = members.filter(({ learner }) => !learner).length;
  for (const path of paths) {
    const before = engine.history.instances.get(path)?.result?.outputs;
    top.outputs.set(path, {
      ...before,
      quorum: healthy.length > 0,
      voters,
      healthy: healthy.length,
      needed: countQuorum(voters),
    });
  }
}

/**
 * Reports that the quorum, which this run has found lost, was back when etcd was last checked.
 *
 * @returns Refusal of a destructive step; `undefined` while the quorum is lost.
 */
export function quorumAgain(engine: Engine): Refusal | undefined {
  const { top, history } = engine;
  for (const path of lostIn(history)) {
    const now = top?.outputs.get(path);
    if (typeof now !== "object" || now === null || !("quorum" in now)) continue;
    if (now.quorum !== true) continue;
    return {
      rule: "S1",
      reason: `etcd has a quorum again: ${String(now.voters)} voters, ${
        String(now.healthy)
      } healthy, quorum ${String(now.needed)}`,
      passing: false,
    };
  }
  return undefined;
}

function isAllowance(
  rule: OverridableRule,
): rule is OverridableRule & Allowance {
  return quorumRules.has(rule);
}
