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
  setOutcome,
} from "./plan_position.ts";
import { checksAt } from "./planned_checks.ts";
import { noteUnknown, type Planner, runEach } from "./planner.ts";
import {
  planCondition,
  type PlannedValue,
  planText,
  planValue,
} from "./values.ts";

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
  for (const { place } of arrivals) setOutcome(place, step.id, { outputs: {} });
  const there = arrivals.find(({ happens }) => happens !== "no");
  const [place] = [there ?? arrivals[0]].map((one) => one?.place);
  if (place === undefined) throw new TypeError("A step is walked through");
  const span = (what: string, template: Template) =>
    planSpan(planner, place, head.path, [what, template]);
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

/** Plans a duration; empty when it is known only at run time. */
async function planSpan(
  planner: Planner,
  place: PlanPosition,
  path: string,
  [what, template]: readonly [string, Template],
): Promise<string> {
  const value = await planValue(planner, place, template);
  if ("value" in value) return String(value.value);
  noteUnknown(planner, { path, what, ...value });
  return "";
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
  const { decisions, engine } = planner;
  engine.decisions.delete(name);
  decisions.set(name, [path]);
  if (happens === "no") return {};
  const value = await decided(planner, place, template);
  if (value === undefined) return {};
  if ("needs" in value) {
    decisions.set(name, value.needs);
    noteUnknown(planner, { path, what: "value", ...value });
    setOutcome(place, id, value);
    return {};
  }
  if (happens === "unknown") return {};
  decisions.delete(name);
  engine.decisions.set(name, value.value);
  setOutcome(place, id, { outputs: value });
  return value;
}

async function decided(
  planner: Planner,
  place: PlanPosition,
  template: Template,
): Promise<PlannedValue | undefined> {
  try {
    return await planValue(planner, place, template);
  } catch (error) {
    // The run would fail here, unless the expression has a value by then.
    if (!(error instanceof ConfigError)) throw error;
    return undefined;
  }
}
