/** Safety rules that a runbook overrides: the operator is asked once for each, when it is needed first. */

import type { Allowance } from "../../etcd/quorum.ts";
import type { OverridableRule } from "../runbook.ts";
import { ask, destructiveMs } from "./operator_questions.ts";
import type { Engine } from "./engine.ts";
import { Halt } from "./failure.ts";
import { holds } from "./scope.ts";

/** Rules the arbiter knows; the others are for modules and gates. */
const quorumRules: ReadonlySet<OverridableRule> = new Set<
  OverridableRule & Allowance
>([
  "degraded-etcd",
  "etcd-quorum",
  "single-member-downtime",
]);

/**
 * Asks for rules that are to be overridden now, and tells the arbiter.
 *
 * @param only One rule; all of the runbook's without.
 * @throws {Halt} When there is no terminal to ask on, or the answer was no.
 */
export async function overrideRules(
  engine: Engine,
  only?: OverridableRule,
): Promise<void> {
  // Nodes that begin at the same time ask the same.
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
    const isOn = when === undefined || await holds(engine, top, when);
    if (!isOn) {
      allowedNow.delete(rule);
      if (isAllowance(rule)) allowed.delete(rule);
      continue;
    }
    if (!allowedNow.has(rule) && !isGranted(engine, rule)) {
      const { name } = engine.facts.last().cluster;
      // One question after the other.
      await ask(engine, {
        tag: `allow-${rule}`,
        path: `allow/${rule}`,
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

/** What an operator has to agree to elsewhere, or what this run has shown to be so. */
function isGranted({ history }: Engine, rule: OverridableRule): boolean {
  // S14 asks for an approval of its own before each loss.
  if (rule === "destroy-etcd-data") return true;
  return rule === "etcd-quorum" &&
    [...history.instances.values()].some(({ result }) =>
      result?.module === "etcd.assess" && result.outputs.quorum === false
    );
}

function isAllowance(
  rule: OverridableRule,
): rule is OverridableRule & Allowance {
  return quorumRules.has(rule);
}
