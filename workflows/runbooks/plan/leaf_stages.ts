/** Plans steps that only check, ask, compute or wait. */

import { ConfigError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import type {
  Certainty,
  PlannedCheck,
  PlanStage,
  StageHead,
  Stages,
} from "./plan.ts";
import type { StepOf } from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";
import {
  type Arrival,
  type PlanPosition,
  UnknownValue,
} from "./plan_position.ts";
import { checksAt } from "./planned_checks.ts";
import { noteUnknown, type Planner, runEach } from "./planner.ts";
import { planCondition, planText, planValue } from "./values.ts";

type LeafStep = StepOf<
  "gate" | "approve" | "assert" | "decide" | "sleep"
>;

/** Plans a step that changes nothing; the stage describes the first position where it runs. */
export async function planLeaf(
  planner: Planner,
  arrivals: readonly Arrival[],
  step: LeafStep,
  head: StageHead,
): Promise<PlanStage> {
  for (const { place } of arrivals) place.frame.outputs.set(step.id, {});
  const there = arrivals.find(({ happens }) => happens !== "no");
  const [place] = [there ?? arrivals[0]].map((one) => one?.place);
  if (place === undefined) throw new TypeError("A step is walked through");
  // Durations known only at run time are empty.
  const span = async (what: string, template: Template) => {
    const at = { path: head.path, what };
    const value = await planValue(planner, place, template, at);
    return value instanceof UnknownValue ? "" : String(value);
  };
  const said = (template: Template) => planText(planner, place, template);
  switch (step.verb) {
    case "gate":
      return {
        ...head,
        verb: "gate",
        checks: await planChecks(planner, arrivals, step),
        within: await span("within", step.within),
        ...(step.holdFor === undefined
          ? {}
          : { holdFor: await span("holdFor", step.holdFor) }),
      };
    case "approve":
      return {
        ...head,
        verb: "approve",
        tag: step.tag,
        message: await said(step.message),
        destructive: step.destructive,
        ...(step.typed === undefined ? {} : { typed: await said(step.typed) }),
      };
    case "assert":
      return {
        ...head,
        verb: "assert",
        that: step.that,
        ...await planAssertion(planner, arrivals, step, head.path),
        message: await said(step.message),
      };
    case "decide":
      return {
        ...head,
        verb: "decide",
        name: step.name,
        ...await planDecision(planner, place, step, head),
      };
    case "sleep":
      return {
        ...head,
        verb: "sleep",
        duration: await span("duration", step.duration),
      };
  }
}

async function planChecks(
  planner: Planner,
  arrivals: readonly Arrival[],
  step: StepOf<"gate">,
): Promise<readonly PlannedCheck[]> {
  if (arrivals.every(({ happens }) => happens === "unknown")) {
    return step.checks.map(({ check }) => ({ check, state: "unknown" }));
  }
  const all = await runEach(
    arrivals,
    planner.engine.parallel,
    async ({ place, happens }): Promise<readonly PlannedCheck[]> => {
      if (happens === "yes") return await checksAt(planner, place, step);
      const { node } = place.frame;
      const about = node === undefined ? {} : { node };
      const state = happens === "no" ? "skip" : "unknown";
      return step.checks.map(({ check }) => ({ check, ...about, state }));
    },
  );
  return all.flat();
}

async function planAssertion(
  planner: Planner,
  arrivals: readonly Arrival[],
  { that }: StepOf<"assert">,
  path: string,
): Promise<Pick<Stages["assert"], "holds" | "failing">> {
  const met: Certainty[] = [];
  const failing: string[] = [];
  for (const { place, happens } of arrivals) {
    if (happens === "no") continue;
    // Sequential; nothing here waits.
    const { holds, needs } = await planCondition(planner, place, that);
    met.push(holds);
    const { node } = place.frame;
    if (holds === "no" && happens === "yes" && node !== undefined) {
      failing.push(node);
    }
    if (holds !== "unknown") continue;
    noteUnknown(planner, { path, what: "that", expression: that, needs });
  }
  const on = failing.length === 0 ? {} : { failing };
  if (met.includes("no")) return { holds: "no", ...on };
  return { holds: met.includes("unknown") ? "unknown" : "yes" };
}

async function planDecision(
  planner: Planner,
  place: PlanPosition,
  { id, name, value: template }: StepOf<"decide">,
  { path, happens }: StageHead,
): Promise<{ readonly value?: Json }> {
  const { decisions } = planner.engine;
  decisions.set(name, new UnknownValue([path]));
  if (happens === "no") return {};
  try {
    const at = { path, what: "value" };
    const value = await planValue(planner, place, template, at);
    if (value instanceof UnknownValue) {
      decisions.set(name, value);
      place.frame.outputs.set(id, value);
      return {};
    }
    if (happens === "unknown") return {};
    decisions.set(name, value);
    place.frame.outputs.set(id, { value });
    return { value };
  } catch (error) {
    // The run would fail here, unless the expression has a value by then.
    if (!(error instanceof ConfigError)) throw error;
    return {};
  }
}
