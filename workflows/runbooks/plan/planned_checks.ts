/** Previews the checks of gates; each runs once. */

import { OsctlError } from "../../../errors.ts";
import type { Check, CheckResult } from "../../checks/check.ts";
import type { Json } from "../../../lib/json.ts";
import { checkContext } from "../engine/contexts.ts";
import { pathIn } from "../engine/frame.ts";
import { runCheck } from "../engine/gate.ts";
import { collectInitials } from "../../modules/module.ts";
import type { PlannedCheck } from "./plan.ts";
import type { GateCheck, StepOf } from "../runbook.ts";
import { type PlanPosition, UnknownValue } from "./plan_position.ts";
import { noteUnknown, type Planner } from "./planner.ts";
import { planTruth, planValue } from "./values.ts";

/** Runs the checks of a gate. `place`: position of the gate, reached for certain. */
export async function checksAt(
  planner: Planner,
  place: PlanPosition,
  step: StepOf<"gate">,
): Promise<readonly PlannedCheck[]> {
  const path = pathIn(place.frame, step.id);
  return await Promise.all(
    step.checks.map((one) => checkAt(planner, place, one, path)),
  );
}

async function checkAt(
  planner: Planner,
  place: PlanPosition,
  wanted: GateCheck,
  path: string,
): Promise<PlannedCheck> {
  const { node } = place.frame;
  const about = {
    check: wanted.check,
    ...(node === undefined ? {} : { node }),
  };
  try {
    const skipped = await leftOut(planner, place, wanted, path);
    if (skipped !== undefined) return { ...about, ...skipped };
    const input = await planInput(planner, place, wanted, path);
    if (input === undefined) {
      return { ...about, state: "unknown", reason: "decided at run time" };
    }
    const finding = await runPlannedCheck(planner, place, wanted.check, input);
    if (finding.ok) {
      const { seen, note } = finding;
      const reason = note === undefined ? seen : `${seen}. ${note}`;
      return { ...about, state: "holds", reason };
    }
    // Earlier steps may make the check hold.
    const { reason, final } = finding;
    return planner.changing.length === 0
      ? { ...about, state: "fails", ...final && { final }, reason }
      : { ...about, state: "unknown", reason: `not now: ${reason}` };
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return { ...about, state: "fails", reason: error.message };
  }
}

async function leftOut(
  planner: Planner,
  place: PlanPosition,
  { check, when }: GateCheck,
  path: string,
): Promise<Pick<PlannedCheck, "state" | "reason"> | undefined> {
  if (when === undefined) return undefined;
  const { holds, needs } = await planTruth(planner, place, when);
  if (holds === "yes") return undefined;
  if (holds === "no") {
    return { state: "skip", reason: `its condition is false: ${when}` };
  }
  const what = `${check}.when`;
  noteUnknown(planner, { path, what, expression: when, needs });
  return { state: "unknown", reason: `if ${when}` };
}

/** Input of a check; `undefined` when part of it is known only at run time. */
async function planInput(
  planner: Planner,
  place: PlanPosition,
  wanted: GateCheck,
  path: string,
): Promise<Readonly<Record<string, Json>> | undefined> {
  const input = collectInitials(checkNamed(planner, wanted).input);
  let isKnown = true;
  for (const [name, template] of Object.entries(wanted.with)) {
    const at = { path, what: `${wanted.check}.with.${name}` };
    const value = await planValue(planner, place, template, at);
    if (value instanceof UnknownValue) isKnown = false;
    else input[name] = value;
  }
  return isKnown ? input : undefined;
}

function checkNamed(
  { checks }: Planner,
  { check: name }: Pick<GateCheck, "check">,
): Check {
  const check = checks.get(name);
  if (check === undefined) throw new TypeError(`No check "${name}"`);
  return check;
}

async function runPlannedCheck(
  planner: Planner,
  place: PlanPosition,
  name: string,
  input: Readonly<Record<string, Json>>,
): Promise<CheckResult> {
  const check = checkNamed(planner, { check: name });
  const { engine, signal } = planner;
  const context = checkContext(engine, place.frame, input, signal);
  const nodes = typeof input.group === "string"
    ? await context.group(input.group)
    : [];
  const node = check.scope === "node" ? context.node ?? "" : "";
  const key = JSON.stringify([name, input, node, nodes]);
  const { findings } = planner;
  const looking = findings.get(key) ??
    runCheck({ check, context, input }, signal);
  findings.set(key, looking);
  return await looking;
}
