/** Who holds a cluster: one process of one run, which no copy of its files can pass for. */

import { HeldError, RefusedError } from "../../../errors.ts";
import type { LeaseState } from "./lease.ts";

/** A process that holds a cluster, as a Lease names it. */
export interface Holder {
  /** Id of the run; empty for none. */
  readonly run: string;
  /** For people: `20261120-7k2f @ alice@laptop, process 4711 since 2026-11-20T19:00:00.000Z`. */
  readonly shown: string;
}

/**
 * Names this process: its number, its start and a random word.
 *
 * The word is in the memory of the process and in the Lease, and in no file: who copies the files of a run, even
 * to a machine of the same name, is another holder.
 */
export function newProcess(): string {
  const start = new Date(performance.timeOrigin).toISOString();
  return `${Deno.pid} ${start} ${crypto.randomUUID()}`;
}

/** Names a holder as a Lease does. */
export function holderIdentity(
  run: string,
  operator: string,
  process: string,
): string {
  return `${run} @ ${operator} # ${process}`;
}

/**
 * Reads the holder of a Lease.
 *
 * @param identity Its `holderIdentity`; also one of another version, or of someone else.
 * @returns Without the random word, so that it can be shown and written down.
 */
export function holderOf(identity: string): Holder {
  const [who = "", process] = identity.split(" # ");
  const [run = ""] = who.split(" @ ");
  if (process === undefined) return { run, shown: who };
  const [number, start] = process.split(" ");
  return { run, shown: `${who}, process ${number} since ${start}` };
}

/** Another process has the cluster. */
export function lockedError(
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

/** Another run has started something and not ended. */
export function claimedError(
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
export function outdatedCopyError(
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
export function lockTakenError(
  { holder }: Pick<LeaseState, "holder">,
  run: string,
): HeldError {
  const { shown } = holderOf(holder);
  const who = shown === ""
    ? "it was removed, or another process took it"
    : `${shown} holds it`;
  return new HeldError(
    `Run "${run}" has lost its lock on the cluster: ${who}`,
    { hint: "See: osctl runbook status" },
  );
}

/** The lock ran out. */
export function lockExpiredError(reason: string): HeldError {
  return new HeldError(
    `The lock on the cluster could not be renewed in time: ${reason}`,
    { hint: "Resume when Kubernetes answers" },
  );
}
