/** Why a run may not have a cluster, for people. */

import { HeldError, RefusedError } from "../../../errors.ts";
import { holderOf } from "./holder.ts";
import type { LeaseState } from "./lease.ts";

/** Another process has the cluster. */
export function heldBy(
  { holder }: Pick<LeaseState, "holder">,
  run: string,
): HeldError {
  const other = holderOf(holder);
  return other.run === run
    ? new HeldError(
      `Run "${run}" is running in another process: ${other.shown}`,
      {
        hint: "Watch it there, or wait until it has finished, then resume",
      },
    )
    : new HeldError(`Another run has locked the cluster: ${other.shown}`, {
      hint: "Wait for it, or check it with: osctl runbook status",
    });
}

/** Another run has begun something and not ended. */
export function claimed(
  { claim, claimedBy }: Pick<LeaseState, "claim" | "claimedBy">,
): HeldError {
  return new HeldError(
    `Run "${claim}" of ${claimedBy} is unfinished on this cluster`,
    {
      hint:
        `Resume it where it was started: osctl runbook resume ${claim}; if that is impossible: osctl runbook unlock`,
    },
  );
}

/** Another copy of the run has written more than this one knows of. */
export function outdated(
  { claim, claimedBy }: Pick<LeaseState, "claim" | "claimedBy">,
  run: string,
): RefusedError {
  const isClaim = claim === run;
  return new RefusedError(
    `This is an old copy of run "${run}": it was continued ${
      isClaim ? `by ${claimedBy}` : "and ended elsewhere"
    } after this journal was copied`,
    {
      hint: isClaim
        ? `Resume it there; if that copy is lost, check the nodes, then run: osctl runbook unlock ${run}`
        : `Abort this copy with: osctl runbook abort ${run}`,
    },
  );
}

/** Another process has, or had, what this one held. */
export function taken(
  { holder }: Pick<LeaseState, "holder">,
  run: string,
): HeldError {
  const { shown } = holderOf(holder);
  const who = shown === ""
    ? "it was removed, or another process took it"
    : `${shown} has it`;
  return new HeldError(
    `Run "${run}" has lost its lock on the cluster: ${who}`,
    { hint: "See: osctl runbook status" },
  );
}

/** The lock ran out. */
export function late(reason: string): HeldError {
  return new HeldError(
    `The lock on the cluster could not be renewed in time: ${reason}`,
    { hint: "Resume when Kubernetes answers" },
  );
}
