/** Removal of the claim that a stopped run has on its cluster. */

import type { Kubernetes } from "../../kubernetes/client.ts";
import type { MessageSender } from "../store/inbox.ts";
import { readLease, writeLease } from "./lease.ts";

/**
 * Removes the lock and the claim of a run.
 *
 * @param sender Who removes it, when and why; kept in the Lease until the next run.
 * @returns False when the run has no claim.
 * @throws {KubernetesError} With code 409 if another process has changed the Lease meanwhile.
 */
export async function removeClaim(
  kubernetes: Kubernetes,
  run: string,
  { by, at, reason }: MessageSender,
  signal: AbortSignal,
): Promise<boolean> {
  const known = await readLease(kubernetes, signal);
  if (known === undefined || known.claim !== run) return false;
  const journals = new Map(known.journals);
  // A process that resumes the run anyway may have an older journal.
  journals.delete(run);
  const why = reason === undefined ? "" : `: ${reason}`;
  await writeLease(kubernetes, {
    ...known,
    holder: "",
    claim: "",
    claimedBy: "",
    journals,
    removed: `${run} by ${by} at ${at}${why}`,
  }, signal);
  return true;
}
