/** What `run.planned` says of the steps, so that whoever watches knows what is to come. */

import type { Json } from "../../operations/operation.ts";
import type { Runbook } from "../runbook.ts";

/**
 * Lists the steps of a runbook for the event `run.planned`.
 *
 * @param nodes Nodes of a group that is frozen; `undefined` for those resolved later.
 * @param state How the step of a path has ended before; `undefined` when it has not.
 */
export function plannedStages(
  { steps }: Runbook,
  nodes: (group: string) => readonly string[] | undefined,
  state: (path: string) => "done" | "skipped" | undefined = () => undefined,
): readonly Json[] {
  return steps.map((step) => {
    const { id, title, verb } = step;
    const ended = state(id);
    const known = verb === "forEach" ? nodes(step.nodes)?.length : undefined;
    return {
      path: id,
      ...title === undefined ? {} : { title },
      verb,
      ...known === undefined ? {} : { nodes: known },
      ...ended === undefined ? {} : { state: ended },
    };
  });
}
