/** How far the nodes of a run are, as its journal tells it. */

import type { NodeState, TargetReport } from "../event.ts";
import { groupKey } from "../engine/frame.ts";
import { instanceKey, type RunHistory } from "../journal/history.ts";
import type { Runbook, Step } from "../runbook.ts";

/** How far a node is in a fan-out. */
export type TargetState =
  | NodeState
  /** It waits for its turn. */
  | "queued"
  /** It has begun, and has not ended. */
  | "inside";

/** A node in a fan-out. */
export interface RunTarget extends Omit<TargetReport, "state"> {
  /** How far it is. */
  readonly state: TargetState;
}

/** A fan-out, and what is needed to know its nodes. */
interface FanOut {
  readonly path: string;
  readonly group: string;
}

/**
 * Nodes of all fan-outs, in the order of the runbook.
 *
 * @param runbook What is done.
 * @param history What has been done.
 */
export function targetsOf(
  runbook: Runbook,
  history: RunHistory,
): readonly RunTarget[] {
  // Written by `run.ts` of the engine.
  const frozen = (history.start?.groups ?? {}) as Readonly<
    Record<string, readonly string[]>
  >;
  return fanOutsIn(runbook, "").flatMap(({ path, group }) => {
    const isLeftOut = history.instances.get(path)?.result?.state === "skipped";
    if (isLeftOut) return [];
    const names = history.groups.get(path) ?? frozen[group] ?? [];
    return names.map((node) => targetOf(history, path, node));
  });
}

function targetOf(
  { nodes, dropped }: RunHistory,
  path: string,
  node: string,
): RunTarget {
  const known = nodes.get(instanceKey(path, node));
  const about = { node, path };
  const reason = dropped.get(node);
  if (reason !== undefined && known?.state !== "done") {
    const message = `taken out: ${reason}`;
    return { ...about, state: "failed", code: "cancelled", message };
  }
  if (known === undefined) return { ...about, state: "queued" };
  const { state = "inside", step, code, message, tookMs } = known;
  return {
    ...about,
    state,
    ...(step === undefined ? {} : { step }),
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(tookMs === undefined ? {} : { tookMs }),
  };
}

/** Fan-outs of a runbook and of those it uses. */
function fanOutsIn(runbook: Runbook, path: string): readonly FanOut[] {
  const { steps, rescue, always } = runbook;
  return [...steps, ...rescue, ...always].flatMap((step) =>
    fanOutsOf(step, path, path)
  );
}

function fanOutsOf(
  step: Step,
  around: string,
  book: string,
): readonly FanOut[] {
  const path = around === "" ? step.id : `${around}/${step.id}`;
  switch (step.verb) {
    case "forEach":
      return [{ path, group: groupKey({ path: book }, step.nodes) }];
    case "use":
      return fanOutsIn(step.runbook, path);
    case "block":
      return [...step.steps, ...step.rescue, ...step.always].flatMap((inner) =>
        fanOutsOf(inner, path, book)
      );
    default:
      return [];
  }
}
