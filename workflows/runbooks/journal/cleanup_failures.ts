/** Which steps of `rescue` and `always` have failed, as the journal of a run tells it. */

import type { RunReport } from "../event.ts";
import { instanceKey, type RunHistory } from "./history.ts";
import type { Runbook } from "../runbook.ts";
import { nodesOf, type StepLocation, stepsOf } from "./find_step.ts";

/** A step of `rescue` or `always` that failed. */
export type CleanupFailure = NonNullable<RunReport["cleanup"]>[number];

/**
 * Finds steps of `rescue` and `always` that failed and have not been repeated since; those that may fail do not count.
 */
export function failedCleanup(
  runbook: Runbook,
  history: RunHistory,
): readonly CleanupFailure[] {
  return stepsOf(runbook).flatMap((step) => {
    const { part } = step;
    if (part === undefined) return [];
    return instancesOf(history, step).flatMap(({ node, entry }) => {
      const key = instanceKey(step.path, node);
      const { result } = history.instances.get(key) ?? {};
      if (result?.state !== "failed" || result.entry !== entry) return [];
      const { code = "internal", message = "" } = result;
      // A rescue around it has undone what it did.
      if (code === undone) return [];
      return [{
        part,
        step: result.step ?? step.path,
        ...(node === undefined ? {} : { node }),
        code,
        message,
      }];
    });
  });
}

/** Code of results that count no more. */
const undone = "cancelled";

interface CleanupInstance {
  readonly node?: string;
  /** Entry of the block that counts. */
  readonly entry: number | undefined;
}

function instancesOf(
  history: RunHistory,
  { fanOut }: StepLocation,
): readonly CleanupInstance[] {
  if (fanOut === undefined) return [{ entry: history.entries }];
  return nodesOf(history, fanOut).map((node) => ({
    node,
    entry: history.nodes.get(instanceKey(fanOut.path, node))?.entry,
  }));
}
