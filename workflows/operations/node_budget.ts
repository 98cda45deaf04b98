/** How many nodes may be away at once, for commands typed over many. */

import type { Verdict } from "./operation.ts";

/** Counts nodes that are away. */
export interface NodeBudget {
  /** Tells whether a node that enters now has to wait. */
  readonly isFull: () => boolean;
  /**
   * Waits until one more node may go away.
   *
   * @returns Why it may not; `undefined` when it may.
   */
  readonly enter: (signal: AbortSignal) => Promise<Verdict | undefined>;
  /**
   * Says that a node is through.
   *
   * @param isWell False when it was not seen to be well again: it counts as away from then on.
   */
  readonly leave: (isWell: boolean) => void;
}

/**
 * Makes a budget.
 *
 * @param most Nodes that may be away at once.
 */
export function nodeBudget(most: number): NodeBudget {
  let inside = 0;
  let lost = 0;
  const waiting = new Set<() => void>();

  const isFull = () => inside + lost >= most;

  async function enter(signal: AbortSignal): Promise<Verdict | undefined> {
    while (isFull()) {
      if (inside === 0) {
        const nodes = lost === 1 ? "1 node" : `${lost} nodes`;
        const reason =
          `${nodes} failed or did not come back, and --max-unavailable is ${most}; nothing was sent`;
        return { outcome: "refused", reason };
      }
      if (signal.aborted) {
        const reason = "the time was up before its turn came; nothing was sent";
        return { outcome: "timed-out", reason };
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      // Whoever leaves wakes all, and one of them goes on.
      await promise;
      waiting.delete(resolve);
    }
    inside++;
    return undefined;
  }

  function leave(isWell: boolean): void {
    inside--;
    if (!isWell) lost++;
    for (const wake of waiting) wake();
  }

  return { isFull, enter, leave };
}

/**
 * A number of nodes.
 *
 * @param text `2`, or a share such as `25%`, which is rounded down to no less than 1.
 */
export function nodesOf(text: string, total: number): number {
  if (!text.endsWith("%")) return Number(text);
  const share = Number(text.slice(0, -1)) * total / 100;
  return Math.max(1, Math.floor(share));
}
