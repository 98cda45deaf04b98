/** What was last read of the cluster, and how old it is. */

import type { Facts } from "../read_facts.ts";
import type { RunCluster } from "./surroundings.ts";
import type { OperationClock } from "../../operation.ts";

/** Facts of a run. */
export interface FactsCache {
  /** What was read last. */
  readonly last: () => Facts;
  /** What is not older than {@linkcode freshMs}; read again otherwise. */
  readonly recent: () => Promise<Facts>;
  /** Says that something has changed, so that the next question is asked anew. */
  readonly forget: () => void;
}

/** How old facts may be that something is decided on, in milliseconds. */
export const freshMs = 15_000;

/** Facts for a run, read once for all who ask at the same time. */
export function cacheFacts(
  cluster: Pick<RunCluster, "readFacts">,
  clock: OperationClock,
  first: Facts,
): FactsCache {
  let known = first;
  let stale = false;
  let reading: Promise<Facts> | undefined;

  async function read(): Promise<Facts> {
    stale = false;
    try {
      return known = await cluster.readFacts();
    } finally {
      reading = undefined;
    }
  }

  return {
    last: () => known,
    recent() {
      const fresh = !stale && clock.now() - known.readAt <= freshMs;
      return fresh ? Promise.resolve(known) : reading ??= read();
    },
    forget() {
      stale = true;
    },
  };
}
