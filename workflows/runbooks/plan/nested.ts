/** Plans blocks and used runbooks. */

import type { Json } from "../../../lib/json.ts";
import { pathIn } from "../engine/frame.ts";
import type { PlannedWork, PlanStage, StageHead } from "./plan.ts";
import type { StepOf, Work } from "../runbook.ts";
import { openBook } from "./known_values.ts";
import {
  afterFailure,
  type Arrival,
  enterBlock,
  type PlanPosition,
  setOutcome,
  type UnknownValues,
} from "./plan_position.ts";
import { noteUnknown, type Planner, runEach } from "./planner.ts";

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
      inner: enterBlock(place, pathIn(place.frame, step.id), happens),
    }]
  );
  const work = await planWork(planner, entered.map(({ inner }) => inner), step);
  for (const { place } of arrivals) setOutcome(place, step.id, { outputs: {} });
  for (const { place, inner } of entered) {
    setOutcome(
      place,
      step.id,
      inner.steps.size === 0
        ? { outputs: Object.fromEntries(inner.frame.outputs) }
        : { needs: [...new Set([...inner.steps.values()].flat())] },
    );
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
  for (const { place } of arrivals) setOutcome(place, step.id, { outputs: {} });
  const entered = await runEach(
    arrivals.filter(({ happens }) => happens !== "no"),
    planner.engine.parallel,
    async ({ place, happens }) => {
      const path = pathIn(place.frame, step.id);
      const { inputs, hidden } = await resolveInputs(
        planner,
        place,
        step,
        path,
      );
      const book = await openBook(planner, place, {
        runbook,
        path,
        inputs,
        hidden,
      });
      const certain = happens === "yes" ? "yes" : "unknown";
      const { frame } = enterBlock(place, path, certain);
      const inner: PlanPosition = {
        ...place,
        frame: { ...frame, book: book.book, around: [] },
        names: book.names,
        steps: new Map(),
        around: [],
        certain,
      };
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
    setOutcome(place, step.id, await resolveOutputs(planner, inner, step));
  }
  return { ...head, verb: "block", runbook: runbook.name, ...work };
}

async function resolveInputs(
  planner: Planner,
  place: PlanPosition,
  step: StepOf<"use">,
  path: string,
): Promise<{
  readonly inputs: Readonly<Record<string, Json>>;
  readonly hidden: UnknownValues;
}> {
  const inputs: Record<string, Json> = {};
  const hidden: UnknownValues = new Map();
  for (const [name, template] of Object.entries(step.with)) {
    const value = await planValue(planner, place, template);
    if ("value" in value) inputs[name] = value.value;
    else {
      hidden.set(name, value.needs);
      noteUnknown(planner, { path, what: `with.${name}`, ...value });
    }
  }
  return { inputs, hidden };
}

async function resolveOutputs(
  planner: Planner,
  inner: PlanPosition,
  { runbook }: StepOf<"use">,
) {
  const outputs: Record<string, Json> = {};
  const needs: string[] = [];
  for (const [name, template] of Object.entries(runbook.outputs)) {
    const value = await planValue(planner, inner, template);
    if ("value" in value) outputs[name] = value.value;
    else needs.push(...value.needs, inner.frame.path);
  }
  return needs.length === 0 ? { outputs } : { needs: [...new Set(needs)] };
}
