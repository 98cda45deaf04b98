/** What a run still waits for after it was asked to stop. */

import type { RunEvent } from "../event.ts";

/** A node that continues to a safe point. */
export interface Awaited {
  readonly node: string;
  /** Path of the step it continues to; empty when that was not reported. */
  readonly until: string;
}

/**
 * The nodes a run that stops still waits for, after an event.
 *
 * A node is not waited for any more when it is through, or the step it went on to has ended.
 *
 * @param before Those before; `undefined` while the run does not stop.
 */
export function stoppingAfter(
  before: readonly Awaited[] | undefined,
  event: RunEvent,
): readonly Awaited[] | undefined {
  if (event.type === "run.stopping") return event.data.waiting ?? [];
  if (event.type === "run.ended") return undefined;
  const isEnd = event.type === "node.ended" || event.type === "step.done" ||
    event.type === "step.failed";
  if (before === undefined || !isEnd) return before;
  return before.filter(({ node, until }) =>
    node !== event.node ||
    !(until === event.path || event.type === "node.ended")
  );
}

/** Says which nodes a run that stops still waits for. `awaited`: the nodes, and the steps they continue to. */
export function stoppingText(
  awaited: readonly Awaited[],
): string {
  if (awaited.length === 0) return "stopping";
  const parts = awaited.map(({ node, until }) =>
    until === ""
      ? node
      : `${node} until ${until.slice(until.lastIndexOf("/") + 1)}`
  );
  return `stopping, waiting for ${parts.join(", ")}`;
}
