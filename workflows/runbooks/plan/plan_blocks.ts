/** Plans blocks and used runbooks. */

import type { Json } from "../../../lib/json.ts";
import { enterBlock, pathIn } from "../engine/frame.ts";
import type { PlannedWork, PlanStage, StageHead } from "./plan.ts";
import type { StepOf, Work } from "../runbook.ts";
import { openBook } from "./known_values.ts";
import {
  afterFailure,
  type Arrival,
  type PlanPosition,
  type PlanValue,
  UnknownValue,
} from "./plan_position.ts";
import { together } from "./needed_values.ts";
import { type Planner, runEach } from "./planner.ts";
import { planValue } from "./values.ts";

const nothing: PlannedWork = { steps: [], rescue: [], always: [] };

/**
 * Plans steps with their `rescue` and `always`.
 *
 * @param places Positions of the block itself; outputs of its steps are added.
 */
export async function planWork(
  planner: Planner,
  places: readonly PlanPosition[],
  work: Work,
): Promise<PlannedWork> {
  if (places.length === 0) return nothing;
  const steps = await planner.planSteps(places, work.steps);
  const rescue = await planner.planSteps(places.map(afterFailure), work.rescue);
  // They run wherever the work stopped.
  const { ended } = planner;
  planner.ended = undefined;
  const always = await planner.planSteps(places, work.always);
  planner.ended = ended ?? planner.ended;
  return { steps, rescue, always };
}

/** Plans a block. */
export async function planBlock(
  planner: Planner,
  arrivals: readonly Arrival[],
  step: StepOf<"block">,
  head: StageHead,
): Promise<PlanStage> {
  const entered = arrivals.flatMap(({ place, happens }) =>
    happens === "no" ? [] : [{
      place,
      inner: {
        ...place,
        frame: enterBlock(place.frame, pathIn(place.frame, step.id)),
        certain: happens,
      },
    }]
  );
  const work = await planWork(planner, entered.map(({ inner }) => inner), step);
  for (const { place } of arrivals) place.frame.outputs.set(step.id, {});
  for (const { place, inner } of entered) {
    place.frame.outputs.set(step.id, joinOutputs(inner.frame.outputs));
  }
  return { ...head, verb: "block", ...work };
}

/** Plans a used runbook. */
export async function planUse(
  planner: Planner,
  arrivals: readonly Arrival[],
  step: StepOf<"use">,
  head: StageHead,
): Promise<PlanStage> {
  const { runbook } = step;
  for (const { place } of arrivals) place.frame.outputs.set(step.id, {});
  const entered = await runEach(
    arrivals.filter(({ happens }) => happens !== "no"),
    planner.engine.parallel,
    async ({ place, happens }) => {
      const path = pathIn(place.frame, step.id);
      const inputs: Record<string, PlanValue> = {};
      for (const [name, template] of Object.entries(step.with)) {
        const at = { path, what: `with.${name}` };
        inputs[name] = await planValue(planner, place, template, at);
      }
      const opened = await openBook(planner, runbook, path, inputs, place);
      const certain = happens === "yes" ? "yes" : "unknown";
      const inner: PlanPosition = { ...place, ...opened, certain };
      return { place, inner };
    },
  );
  const work = await planWork(
    planner,
    entered.map(({ inner }) => inner),
    runbook,
  );
  for (const { place, inner } of entered) {
    // Sequential; nothing here waits.
    const outputs = await resolveOutputs(planner, inner, step);
    place.frame.outputs.set(step.id, outputs);
  }
  return { ...head, verb: "block", runbook: runbook.name, ...work };
}

async function resolveOutputs(
  planner: Planner,
  inner: PlanPosition,
  { runbook }: StepOf<"use">,
): Promise<PlanValue> {
  const outputs = new Map<string, PlanValue>();
  for (const [name, template] of Object.entries(runbook.outputs)) {
    const value = await planValue(planner, inner, template);
    outputs.set(
      name,
      value instanceof UnknownValue
        ? new UnknownValue([...value.needs, inner.frame.path])
        : value,
    );
  }
  return joinOutputs(outputs);
}

/** Outputs of steps as one value, unknown when one of them is. */
function joinOutputs(outputs: ReadonlyMap<string, PlanValue>): PlanValue {
  const known: Record<string, Json> = {};
  const needs = [...outputs].map(([name, value]) => {
    if (value instanceof UnknownValue) return value.needs;
    known[name] = value;
    return undefined;
  });
  const all = together(needs);
  return all === undefined ? known : new UnknownValue(all);
}
