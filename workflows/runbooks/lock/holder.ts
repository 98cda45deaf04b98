/** Holder of a cluster lock: one process of one run; copies of its files are other holders. */

import { LockedError, type OsctlError, RefusedError } from "../../../errors.ts";
import type { LeaseState } from "./lease.ts";

/** Process that holds a cluster, from a Lease. */
interface Holder {
  /** Id of the run; empty for none. */
  readonly run: string;
  /** For people: `20261120-7k2f @ alice@laptop, process 4711 since 2026-11-20T19:00:00.000Z`. */
  readonly shown: string;
}

/**
 * Identifies this process: pid, start time, a random word, and where the system has one, the mark for {@linkcode isGone}.
 *
 * The word is in the memory of the process and in the Lease, but in no file: a copy of a run's files, even on a machine
 * with the same name, is another holder.
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

/** Boot id and pid namespace of this machine; absent where the system has none. */
function machineMark(): string | undefined {
  try {
    const boot = Deno.readTextFileSync("/proc/sys/kernel/random/boot_id");
    const numbers = Deno.readLinkSync("/proc/self/ns/pid");
    // `/proc` may belong to another pid namespace, or hide processes.
    const isOwn = Deno.readLinkSync("/proc/self") === String(Deno.pid);
    if (!isOwn || typeof readStart(1) !== "string") return undefined;
    return `${boot.trim()}/${numbers}/${Deno.hostname()}`;
  } catch {
    return undefined;
  }
}

/** Start time of a process, in clock ticks; null if there is no such process, `undefined` if it is not visible. */
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
 * Reports whether the process in a Lease has certainly exited: it ran on this machine since its last boot, and its pid is
 * free or belongs to another process.
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

/** Formats the holder for a Lease. */
export function holderIdentity(
  run: string,
  operator: string,
  process: string,
): string {
  return `${run} @ ${operator} # ${process}`;
}

/**
 * Parses the holder of a Lease.
 *
 * @param identity Its `holderIdentity`; also from another version, or from another program.
 * @returns Without the random word, so that it can be shown and recorded.
 */
export function parseHolder(identity: string): Holder {
  const [who = "", process] = identity.split(" # ");
  const [run = ""] = who.split(" @ ");
  if (process === undefined) return { run, shown: who };
  const [number, start] = process.split(" ");
  return { run, shown: `${who}, process ${number} since ${start}` };
}

/** Error: another process holds the cluster. */
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

/** Error: another run is unfinished. */
export function claimedError(
  { claim, claimedBy }: Pick<LeaseState, "claim" | "claimedBy">,
): LockedError {
  return new LockedError(
    `Run "${claim}" of ${claimedBy} is unfinished on this cluster`,
    {
      hint: `Resume it where it was started: osctl runbook resume ${claim}`,
      alternatives: [
        `If that is impossible: osctl runbook unlock ${claim} --reason "…"`,
      ],
    },
  );
}

/** Error: another copy of the run has a longer journal. */
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
        ? `Resume it there; if that copy is lost, check the nodes, then run: osctl runbook unlock ${run} --reason "…"`
        : `Abort this copy with: osctl runbook abort ${run} --reason "…"`,
    },
  );
}

/** Error: another process has, or had, the lock of this one. */
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

/** Error: the process was suspended, and another one may have held the cluster meanwhile. */
export function suspendedError(ms: number): LockedError {
  return new LockedError(
    `This process was suspended for ${Math.round(ms / 1_000)} s`,
    { hint: "Resume the run" },
  );
}

/** Error: the lock has expired. */
export function lockExpiredError(reason: string): LockedError {
  return new LockedError(
    `The lock on the cluster could not be renewed in time: ${reason}`,
    { hint: "Resume when Kubernetes answers" },
  );
}

/** Reports whether the error is about the lock itself. */
export function isRefusal(error: OsctlError): boolean {
  return error instanceof LockedError || error instanceof RefusedError;
}
