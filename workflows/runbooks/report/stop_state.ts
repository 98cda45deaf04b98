/** Nodes that a run still waits for after a stop request. */

import type { RunEvent } from "../event.ts";

/** A node that continues to a safe point. */
export interface Awaited {
  readonly node: string;
  /** Path of the step to which it continues; empty if not reported. */
  readonly until: string;
  /** Activity of that step: `rebooting`; absent if unknown. */
  readonly doing?: string;
}

/**
 * Updates the nodes that a stopping run still waits for, after an event.
 *
 * A node is no longer waited for when it, or the step to which it continued, has finished.
 *
 * @param before Nodes before the event; `undefined` if the run is not stopping.
 */
export function stoppingAfter(
  before: readonly Awaited[] | undefined,
  event: RunEvent,
): readonly Awaited[] | undefined {
  if (event.type === "run.stopping") return event.data.waiting ?? [];
  if (event.type === "run.ended") return undefined;
  if (before !== undefined && event.type === "step.start") {
    return awaitStep(before, event);
  }
  const isEnd = event.type === "node.ended" || event.type === "step.done" ||
    event.type === "step.failed";
  if (before === undefined || !isEnd) return before;
  return before.filter(({ node, until }) =>
    node !== event.node ||
    !(until === event.path || event.type === "node.ended")
  );
}

/** A node that starts another step has not reached its safe point. */
function awaitStep(
  before: readonly Awaited[],
  { node, path }: RunEvent,
): readonly Awaited[] {
  if (node === undefined || path === undefined) return before;
  const others = before.filter((one) => one.node !== node);
  return [...others, { node, until: path }];
}

/** Formats the nodes that a stopping run still waits for: `stopping after w-1 (rebooting)`. */
export function stoppingText(awaited: readonly Awaited[]): string {
  if (awaited.length === 0) return "stopping";
  const parts = awaited.map(({ node, doing }) =>
    doing === undefined ? node : `${node} (${doing})`
  );
  return `stopping after ${parts.join(", ")}`;
}
