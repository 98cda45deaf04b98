/** All invariants of a run, whatever fault was injected. */

import type { Evidence } from "./evidence.ts";
import {
  findResult,
  type InvariantFinding,
  type InvariantId,
  invariantIds,
  type InvariantResult,
  unchecked,
} from "./invariant.ts";
import {
  everyTargetOnce,
  noSecrets,
  replays,
  staysEnded,
} from "./run_records.ts";
import { copiedFirst, oneAtATime, oneCluster, quorumKept } from "./etcd.ts";
import { alwaysOpen, bootable, findCordoned, restartedOnce } from "./nodes.ts";

const looks: Readonly<
  Record<
    InvariantId,
    (evidence: Evidence) => InvariantFinding | Promise<InvariantFinding>
  >
> = {
  I1: quorumKept,
  I2: oneAtATime,
  I3: restartedOnce,
  I4: bootable,
  I5: findCordoned,
  I6: alwaysOpen,
  I7: oneCluster,
  I8: copiedFirst,
  I9: noSecrets,
  I10: replays,
  I11: everyTargetOnce,
  I12: staysEnded,
};

/** Checks the invariants. `wanted`: those to check; the others are reported as unchecked. Default all. */
export function checkInvariants(
  evidence: Evidence,
  wanted: ReadonlySet<InvariantId> = new Set(invariantIds),
): Promise<readonly InvariantResult[]> {
  return Promise.all(
    invariantIds.map(async (id) =>
      findResult(id, wanted.has(id) ? await looks[id](evidence) : unchecked)
    ),
  );
}
