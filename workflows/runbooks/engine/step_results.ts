/** Outputs of steps so far, from the journal; including those that failed half-way or never started. */

import type { Outputs } from "../../modules/module.ts";
import { instanceKey, type RunHistory } from "../journal/history.ts";
import type { Step, StepOf } from "../runbook.ts";
import type { Engine } from "./engine.ts";
import { type Frame, pathIn } from "./frame.ts";
import { splitKey } from "../journal/resume_state.ts";

type FanOut = StepOf<"forEach">;

/**
 * Collects the output of a step so far.
 *
 * A fan-out has a map for each of its steps, from the nodes on which that step succeeded to its outputs; the maps of
 * one that was never started are empty. A block has the outputs of its steps, any other step its last output.
 *
 * @param node Its node; absent outside of fan-outs.
 */
export function collectResults(
  history: RunHistory,
  step: Step,
  path: string,
  node: string | undefined,
): Outputs {
  if (step.verb === "forEach") return resultsByNode(history, step, path);
  const { result } = history.instances.get(instanceKey(path, node)) ?? {};
  if (step.verb !== "block" || result?.state === "ok") {
    return result?.outputs ?? {};
  }
  const inner = [...step.steps, ...step.rescue, ...step.always];
  return Object.fromEntries(
    inner.map((one) => [
      one.id,
      collectResults(history, one, `${path}/${one.id}`, node),
    ]),
  );
}

/**
 * Adds the outputs of the steps of a list that are missing in the scope: they were never started, or an earlier
 * process ran them.
 *
 * @param frame Scope of the steps; changed in place.
 */
export function completeResults(
  { history }: Pick<Engine, "history">,
  frame: Frame,
  steps: readonly Step[],
): void {
  for (const step of steps) {
    if (frame.outputs.has(step.id)) continue;
    frame.outputs.set(
      step.id,
      collectResults(history, step, pathIn(frame, step.id), frame.node),
    );
  }
}

/**
 * Removes outputs of fan-outs and blocks for nodes on which a rescue has undone them.
 *
 * @param frame Scope of the steps; changed in place.
 */
export function forgetUndone(
  { history }: Pick<Engine, "history">,
  frame: Frame,
  steps: readonly Step[],
): void {
  for (const step of steps) {
    if (step.verb !== "forEach" && step.verb !== "block") continue;
    const path = pathIn(frame, step.id);
    frame.outputs.set(step.id, collectResults(history, step, path, frame.node));
  }
}

function resultsByNode(
  history: RunHistory,
  { steps }: FanOut,
  path: string,
): Outputs {
  const known = [...history.nodes].flatMap(([key, { state }]) => {
    const { path: fanOut, node } = splitKey(key);
    return fanOut === path ? [{ node, isDone: state === "done" }] : [];
  });
  return Object.fromEntries(steps.map((step) => {
    const inner = `${path}/${step.id}`;
    const byNode = known.flatMap(({ node, isDone }) => {
      const key = instanceKey(inner, node);
      const { result } = history.instances.get(key) ?? {};
      // A finished node has passed all its steps, including skipped ones.
      if (!isDone && result?.state !== "ok") return [];
      return [[node, collectResults(history, step, inner, node)] as const];
    });
    return [step.id, Object.fromEntries(byNode)];
  }));
}
