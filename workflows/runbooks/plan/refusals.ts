/** What a run would be refused for, as a plan finds it. */

import type { PlannedRefusal, PlanStage, SafetyVerdict } from "./plan.ts";

/**
 * Collects what a run would end for, if nothing changes. What only one of some nodes would be refused for, and the
 * fan-out may bear, is omitted, and so is what may fail.
 *
 * @param always What is done at the end in any case.
 * @returns Each once, in the order of the run.
 */
export function refusalsOf(
  stages: readonly PlanStage[],
  always: readonly PlanStage[],
  safety: readonly SafetyVerdict[],
  before: readonly string[] = [],
): readonly PlannedRefusal[] {
  const all = [...stages, ...always];
  const found = [
    ...before.map((reason) => ({ reason })),
    ...all.flatMap(ownRefusals),
    ...safety.flatMap(ofRule),
  ];
  const once = [...new Map(found.map((one) => [keyOf(one), one])).values()];
  return all.reduce(withoutBorne, once);
}

function keyOf({ path = "", node = "", reason }: PlannedRefusal): string {
  return JSON.stringify([path, node, reason]);
}

function ofRule(
  { rule, state, reason, path, node }: SafetyVerdict,
): readonly PlannedRefusal[] {
  if (state !== "refuses") return [];
  return [{
    ...(path === undefined ? {} : { path }),
    ...(node === undefined ? {} : { node }),
    reason: `${rule}: ${reason}`,
  }];
}

function ownRefusals(stage: PlanStage): readonly PlannedRefusal[] {
  const { path } = stage;
  if (stage.happens !== "yes") return [];
  switch (stage.verb) {
    case "assert": {
      const { holds, failing, message: reason } = stage;
      if (holds !== "no") return [];
      return failing?.map((node) => ({ path, node, reason })) ??
        [{ path, reason }];
    }
    case "run":
      return stage.previews.flatMap(({ outcome, node, reason }) =>
        outcome === "refused"
          ? [{
            path,
            ...(node === undefined ? {} : { node }),
            reason: reason ?? "a rule forbids it",
          }]
          : []
      );
    case "forEach":
    case "block":
      return [...stage.steps, ...stage.always].flatMap(ownRefusals);
    default:
      return [];
  }
}

/** Leaves out what a stage, or one inside of it, can bear. */
function withoutBorne(
  refusals: readonly PlannedRefusal[],
  stage: PlanStage,
): readonly PlannedRefusal[] {
  const isIn = ({ path = "" }: PlannedRefusal) =>
    path === stage.path || path.startsWith(`${stage.path}/`);
  if (stage.onFailure === "continue") {
    return refusals.filter((one) => !isIn(one));
  }
  if (stage.verb === "block") {
    return [...stage.steps, ...stage.always].reduce(withoutBorne, refusals);
  }
  if (stage.verb !== "forEach") return refusals;
  const left = [...stage.steps, ...stage.always].reduce(withoutBorne, refusals);
  const nodes = new Set(left.filter(isIn).map(({ node }) => node));
  return nodes.size <= stage.maxFailures
    ? left.filter((one) => !isIn(one))
    : left;
}
