/** Plans fan-outs: all nodes of a group, in batches. */

import { type FanOutBudget, measureBudget } from "../engine/budget.ts";
import { enterBlock, enterNode, groupIn, pathIn } from "../engine/frame.ts";
import { groupKey } from "../journal/history.ts";
import { disturbs } from "../engine/changed_steps.ts";
import { allSteps } from "../language/walk.ts";
import type { PlanStage, StageHead } from "./plan.ts";
import type { Step, StepOf } from "../runbook.ts";
import { movedBy } from "./changing_facts.ts";
import { planWork } from "./plan_blocks.ts";
import {
  type Arrival,
  type PlanPosition,
  UnknownValue,
} from "./plan_position.ts";
import { noteUnknown, type Planner } from "./planner.ts";
import { groupNeeds } from "./needed_values.ts";
import { findUnknown } from "./values.ts";

/** Plans a fan-out; the loader refuses nested ones. */
export async function planFanOut(
  planner: Planner,
  [arrival]: readonly Arrival[],
  step: StepOf<"forEach">,
  head: StageHead,
): Promise<PlanStage> {
  if (arrival === undefined) throw new TypeError("A step is walked through");
  const { place, happens } = arrival;
  const path = pathIn(place.frame, step.id);
  const names = happens === "no" ? [] : listNames(planner, place, step, path);
  const work = [...step.steps, ...step.rescue, ...step.always];
  const budget = await resolveLimits(planner, place, step, names);
  const movesEtcd = mayMoveEtcd(planner, work);
  const nodes = planner.engine.facts.last().nodes;
  const controlPlanes = names.filter((name) =>
    nodes.some((node) => node.name === name && node.role === "controlplane")
  );
  // Later nodes see the etcd state that earlier ones have left.
  if (movesEtcd) moveEtcd(planner, controlPlanes.slice(1), path);
  const certain = happens === "yes" ? "yes" : "unknown";
  const places = names.map((node): PlanPosition => {
    return { ...place, frame: enterNode(place.frame, path, node), certain };
  });
  const isOpen = happens !== "no" && groupIn(place.frame, step.nodes).changed;
  const anyNode: PlanPosition = {
    ...place,
    frame: enterBlock(place.frame, path),
    certain: "unknown",
    anyNode: true,
  };
  const planned = await planWork(planner, isOpen ? [anyNode] : places, step);
  if (movesEtcd && controlPlanes.length > 0) {
    const all = nodes.filter(({ role }) => role === "controlplane");
    moveEtcd(planner, all.map(({ name }) => name), path);
  }
  place.frame.outputs.set(
    step.id,
    names.length === 0
      ? Object.fromEntries(step.steps.map(({ id }) => [id, {}]))
      : new UnknownValue(step.steps.map(({ id }) => `${path}/${id}`)),
  );
  return {
    ...head,
    verb: "forEach",
    group: step.nodes,
    ...(isOpen ? { open: true } : {}),
    batches: formBatches(names, budget),
    ramp: budget.batches.length > 1,
    maxUnavailable: budget.maxUnavailable,
    maxFailures: budget.maxFailures,
    ...planned,
  };
}

function moveEtcd(
  { moved }: Planner,
  nodes: readonly string[],
  path: string,
): void {
  for (const node of nodes) moved.add(node, ["etcd"], path);
}

function mayMoveEtcd({ engine }: Planner, steps: readonly Step[]): boolean {
  return [...allSteps(steps)].some((step) =>
    step.verb === "run" && movedBy(engine.module(step.module)).includes("etcd")
  );
}

/** Nodes of the group now; a group that is resolved again later may differ by then. */
function listNames(
  planner: Planner,
  place: PlanPosition,
  { nodes: name }: StepOf<"forEach">,
  path: string,
): readonly string[] {
  const { frame, groups } = place;
  const { engine } = planner;
  const key = groupKey(frame.book, name);
  const group = groupIn(frame, name);
  const needs = group.at === "entry"
    ? groupNeeds(planner, place, group)
    : groups.get(name);
  if (needs !== undefined) {
    const expression = group.where ?? name;
    noteUnknown(planner, { path, what: "nodes", expression, needs });
  }
  // Unresolvable groups are missing; facts do not change while a plan is made.
  return engine.groups.get(key) ?? [];
}

/** Limits of the fan-out; one node at a time where they are known only at run time. */
async function resolveLimits(
  planner: Planner,
  place: PlanPosition,
  step: StepOf<"forEach">,
  names: readonly string[],
): Promise<FanOutBudget> {
  const { engine } = planner;
  const { strategy } = step;
  const path = pathIn(place.frame, step.id);
  const work = [...step.steps, ...step.rescue, ...step.always];
  const about = { names, disturbs: disturbs(engine, work) };
  let isOpen = false;
  for (const [name, template] of Object.entries(strategy)) {
    const unknown = findUnknown(planner, place, template);
    if (unknown === undefined) continue;
    isOpen = true;
    const { expression, needs } = unknown;
    const what = `strategy.${name}`;
    noteUnknown(planner, { path, what, expression, needs });
  }
  const cautious = { batch: 1, maxFailures: 0 };
  return await measureBudget(
    engine,
    place.frame,
    isOpen ? cautious : strategy,
    about,
  );
}

function formBatches(
  names: readonly string[],
  { batches }: FanOutBudget,
): readonly (readonly string[])[] {
  const all: string[][] = [];
  for (let at = 0; at < names.length;) {
    const size = batches[Math.min(all.length, batches.length - 1)] ?? 1;
    all.push(names.slice(at, at + size));
    at += size;
  }
  return all;
}
