/** Whether a run could begin: another one may have the cluster. */

import { HeldError } from "../../../errors.ts";
import type { OperationClock } from "../../operations/operation.ts";
import type { ClusterView } from "../../operations/cluster_view.ts";
import { createClusterLock } from "./cluster_lock.ts";
import { refuseUnfinished } from "./local_lock.ts";
import { hasEnded } from "../store/run_condition.ts";
import { listRuns } from "../store/run_folder.ts";
import type { Runbook } from "../runbook.ts";

/**
 * Looks for another run that has the cluster, or a claim on it; changes nothing.
 *
 * @param runbook What is to be done; one that locks nothing has no conflict.
 * @returns Which run, for people; `undefined` when there is none.
 */
export async function otherRun(
  { policy }: Runbook,
  { runs, cluster, kubernetes, clock }: {
    readonly runs: string;
    readonly cluster: string;
    readonly kubernetes: ClusterView["kubernetes"];
    readonly clock: OperationClock;
  },
): Promise<string | undefined> {
  if (policy.lock === "none") return undefined;
  const lock = createClusterLock({
    kubernetes,
    run: "plan",
    operator: "",
    clock,
    needed: false,
    hasEnded: (run) => hasEnded(runs, run),
    record: () => Promise.resolve(),
    note() {},
  });
  try {
    refuseUnfinished(await listRuns(runs, cluster), cluster, new Set());
    await lock.look();
    return undefined;
  } catch (error) {
    if (error instanceof HeldError) return error.message;
    throw error;
  }
}
