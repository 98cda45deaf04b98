/** Who holds a cluster: one process of one run, which no copy of its files can pass for. */

import { LockedError, type OsctlError, RefusedError } from "../../../errors.ts";
import type { LeaseState } from "./lease.ts";

/** A process that holds a cluster, as a Lease names it. */
interface Holder {
  /** Id of the run; empty for none. */
  readonly run: string;
  /** For people: `20261120-7k2f @ alice@laptop, process 4711 since 2026-11-20T19:00:00.000Z`. */
  readonly shown: string;
}

/**
 * Names this process: its number, its start, a random word, and where the system has one, the mark of {@linkcode isGone}.
 *
 * The word is in the memory of the process and in the Lease, and in no file: who copies the files of a run, even
 * to a machine of the same name, is another holder.
 */
export function newProcess(): string {
  const start = new Date(performance.timeOrigin).toISOString();
  const word = crypto.randomUUID();
  const machine = machineMark();
  const began = readStart(Deno.pid);
  const mark = machine === undefined || typeof began !== "string"
    ? ""
    : ` ${machine}/${began}`;
  return `${Deno.pid} ${start} ${word}${mark}`;
}

/** Which boot of a machine this is, and whose process numbers are meant; absent where the system does not say. */
function machineMark(): string | undefined {
  try {
    const boot = Deno.readTextFileSync("/proc/sys/kernel/random/boot_id");
    const numbers = Deno.readLinkSync("/proc/self/ns/pid");
    // Processes of another container may be shown, or those of others hidden.
    const isOwn = Deno.readLinkSync("/proc/self") === String(Deno.pid);
    if (!isOwn || typeof readStart(1) !== "string") return undefined;
    return `${boot.trim()}/${numbers}/${Deno.hostname()}`;
  } catch {
    return undefined;
  }
}

/** When a process began, in ticks of its machine; null when there is none, `undefined` when it cannot be seen. */
function readStart(pid: number): string | null | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name before it may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const isDead = fields[0] === "Z" || fields[0] === "X";
    return isDead ? null : fields[19];
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? null : undefined;
  }
}

/**
 * Whether the process that a Lease names is certain to be gone: it was one of this machine since its last boot, and
 * its number is free, or another process has it.
 *
 * @param identity The `holderIdentity`.
 */
export function isGone(identity: string): boolean {
  const [pid, , , mark = ""] = identity.split(" # ")[1]?.split(" ") ?? [];
  const machine = machineMark();
  if (machine === undefined || !mark.startsWith(`${machine}/`)) return false;
  const began = readStart(Number(pid));
  return began === null ||
    began !== undefined && mark !== `${machine}/${began}`;
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
export function parseHolder(identity: string): Holder {
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
): LockedError {
  const other = parseHolder(holder);
  return other.run === run
    ? new LockedError(
      `Run "${run}" is running in another process: ${other.shown}`,
      {
        hint: "Watch it there, or wait until it has finished, then resume",
      },
    )
    : new LockedError(`Another run has locked the cluster: ${other.shown}`, {
      hint: "Wait for it, or check it with: osctl runbook status",
    });
}

/** Another run has started something and not ended. */
export function claimedError(
  { claim, claimedBy }: Pick<LeaseState, "claim" | "claimedBy">,
): LockedError {
  return new LockedError(
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
): LockedError {
  const { shown } = parseHolder(holder);
  const who = shown === ""
    ? "it was removed, or another process took it"
    : `${shown} holds it`;
  return new LockedError(
    `Run "${run}" has lost its lock on the cluster: ${who}`,
    { hint: "See: osctl runbook status" },
  );
}

/** The process did not run: others may have had the cluster meanwhile. */
export function suspendedError(ms: number): LockedError {
  return new LockedError(
    `This process was suspended for ${Math.round(ms / 1_000)} s`,
    { hint: "Resume the run" },
  );
}

/** The lock ran out. */
export function lockExpiredError(reason: string): LockedError {
  return new LockedError(
    `The lock on the cluster could not be renewed in time: ${reason}`,
    { hint: "Resume when Kubernetes answers" },
  );
}

/** Whether the lock itself is what forbids to continue. */
export function isRefusal(error: OsctlError): boolean {
  return error instanceof LockedError || error instanceof RefusedError;
}
