/** Plans steps as stages, each for all its positions at once. */

import {
  type Arrival,
  type PlanPosition,
  UnknownValue,
} from "./plan_position.ts";
import { pathIn } from "../engine/frame.ts";
import { findEffect } from "../../modules/module.ts";
import type { Certainty, PlanStage, Preview, StageHead } from "./plan.ts";
import type { Step, StepOf } from "../runbook.ts";
import { planFanOut } from "./fan_out.ts";
import { planBlock, planUse } from "./plan_blocks.ts";
import { noteUnknown, type Planner, runEach } from "./planner.ts";
import { makePreview, noteChange } from "./module_plan.ts";
import { planLeaf } from "./leaf_stages.ts";
import { planCondition } from "./values.ts";

/**
 * Plans steps in order.
 *
 * @param places Their positions: the nodes of a fan-out, or one outside fan-outs.
 */
export async function planSteps(
  planner: Planner,
  places: readonly PlanPosition[],
  steps: readonly Step[],
): Promise<readonly PlanStage[]> {
  const stages: PlanStage[] = [];
  for (const step of steps) {
    // Changes of a step affect later ones.
    stages.push(await planStep(planner, places, step));
  }
  return stages;
}

async function planStep(
  planner: Planner,
  places: readonly PlanPosition[],
  step: Step,
): Promise<PlanStage> {
  const behind = places.every(({ failing }) => failing)
    ? undefined
    : planner.ended;
  const arrivals = await runEach(
    places,
    planner.engine.parallel,
    (place) =>
      behind === undefined
        ? arrive(planner, place, step)
        : Promise.resolve<Arrival>({ place, happens: "no" }),
  );
  const head = makeHead(step, arrivals, behind);
  const stage = await planStage(planner, arrivals, step, head);
  const isAlone = places.every(({ frame }) => frame.node === undefined);
  if (behind === undefined && isAlone) noteEnd(planner, stage);
  return stage;
}

/** Notes that the run would end here; a step that may fail does not end it. */
function noteEnd(planner: Planner, stage: PlanStage): void {
  if (stage.onFailure === "continue") planner.ended = undefined;
  else if (stage.happens === "yes" && isRefused(stage)) {
    planner.ended = stage.path;
  }
}

function isRefused(stage: PlanStage): boolean {
  return stage.verb === "assert"
    ? stage.holds === "no"
    : stage.verb === "run" &&
      stage.previews.some(({ outcome }) => outcome === "refused");
}

async function planStage(
  planner: Planner,
  arrivals: readonly Arrival[],
  step: Step,
  head: StageHead,
): Promise<PlanStage> {
  switch (step.verb) {
    case "run":
      return await planRun(planner, arrivals, step, head);
    case "forEach":
      return await planFanOut(planner, arrivals, step, head);
    case "block":
      return await planBlock(planner, arrivals, step, head);
    case "use":
      return await planUse(planner, arrivals, step, head);
    default:
      return await planLeaf(planner, arrivals, step, head);
  }
}

async function arrive(
  planner: Planner,
  place: PlanPosition,
  { id, when }: Step,
): Promise<Arrival> {
  if (when === undefined) return { place, happens: place.certain };
  const path = pathIn(place.frame, id);
  const { holds, needs } = await planCondition(planner, place, when);
  if (holds === "no") return { place, happens: "no" };
  if (holds === "yes") return { place, happens: place.certain };
  noteUnknown(planner, { path, what: "when", expression: when, needs });
  return { place, happens: "unknown" };
}

function makeHead(
  step: Step,
  arrivals: readonly Arrival[],
  behind: string | undefined,
): StageHead {
  const { id, title, when, onFailure, pointOfNoReturn } = step;
  const [first] = arrivals;
  return {
    path: first === undefined ? id : pathIn(first.place.frame, id),
    id,
    ...(title === undefined ? {} : { title }),
    ...(when === undefined ? {} : { when }),
    happens: joinCertainty(arrivals),
    ...(behind === undefined ? {} : { behind }),
    onFailure,
    pointOfNoReturn,
  };
}

function joinCertainty(arrivals: readonly Arrival[]): Certainty {
  const all = arrivals.map(({ happens }) => happens);
  if (all.includes("yes")) return "yes";
  return all.includes("unknown") ? "unknown" : "no";
}

async function planRun(
  planner: Planner,
  arrivals: readonly Arrival[],
  step: StepOf<"run">,
  head: StageHead,
): Promise<PlanStage> {
  const module = planner.engine.module(step.module);
  const isOpen = arrivals.every(({ happens }) => happens === "unknown");
  const previews = await runEach(
    arrivals,
    planner.engine.parallel,
    (arrival) => previewAt(planner, arrival, step),
  );
  return {
    ...head,
    verb: "run",
    module: step.module,
    effect: findEffect(module),
    // Uncertain at every position: `happens` of the stage says it for all.
    previews: isOpen ? [] : previews,
  };
}

async function previewAt(
  planner: Planner,
  { place, happens }: Arrival,
  step: StepOf<"run">,
): Promise<Preview> {
  const { frame } = place;
  if (happens === "yes") return await makePreview(planner, place, step);
  const about = frame.node === undefined ? {} : { node: frame.node };
  if (happens === "no") {
    frame.outputs.set(step.id, {});
    const reason = `its condition is false: ${step.when}`;
    return { ...about, outcome: "skip", actions: [], reason };
  }
  const reason = step.when === undefined
    ? "decided at run time"
    : `if ${step.when}`;
  const path = pathIn(frame, step.id);
  frame.outputs.set(step.id, new UnknownValue([path]));
  const { node } = step.with;
  noteChange(planner, place, {
    module: planner.engine.module(step.module),
    path,
    // A templated node may be any node.
    ...(typeof node === "string" && !node.includes("${{")
      ? { target: node }
      : {}),
  });
  return { ...about, outcome: "unknown", actions: [], reason };
}
