/** What the lock of a run on its cluster is taken with, and what it does. */

import type { OsctlError } from "../../../errors.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { RecordOf } from "../journal/record.ts";
import type { KeptJournal } from "../journal/writer.ts";

/** What a lock is taken with. */
export interface ClusterLockOptions {
  /** The API server, as an administrator; connects anew when it is called again. */
  readonly kubernetes: () => Promise<Kubernetes>;
  readonly run: string;
  readonly operator: string;
  /** What tells this process from all others; default made by `newProcess`. */
  readonly process?: string;
  readonly clock: OperationClock;
  /** True when nothing may be changed without the lock, because the runbook needs Kubernetes. */
  readonly needed: boolean;
  /** Whether the run itself may have taken away what the lock is kept in; default never. */
  readonly excused?: () => boolean;
  /** How long the lock lasts without being renewed, in milliseconds; default 60 s. */
  readonly lastsMs?: number;
  /** The journal, so that no process continues by an older copy of it; omitted, it is not checked. */
  readonly journal?: Pick<KeptJournal, "end" | "includes">;
  /** Run whose claim is taken over. */
  readonly supersede?: string;
  /** Whether a run is known to have ended, so that its claim is none; default never. */
  readonly hasEnded?: (run: string) => Promise<boolean>;
  /** True when an earlier process of the run may have left its claim; default false. */
  readonly claimed?: boolean;
  /** Ends the wait for a process that may be gone. */
  readonly signal?: AbortSignal;
  /** Writes down what became of it. */
  readonly record: (data: RecordOf<"lease">["data"]) => Promise<void>;
  readonly note: (text: string) => void;
}

/** A lock. */
export interface ClusterLock {
  /**
   * Takes it, or makes sure that it is there.
   *
   * @returns Why it is not; `undefined` when it is.
   * @throws {HeldError} If another process has it, or another run a claim.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  readonly ensure: () => Promise<string | undefined>;
  /**
   * Renews it now, directly before a change; does nothing before the first {@linkcode ClusterLock.ensure}.
   *
   * @throws {HeldError} If it is not there.
   */
  readonly confirm: () => Promise<void>;
  /**
   * Looks whether another process has it, or another run a claim, and changes nothing.
   *
   * A process of the same run that does not renew it is given the time it lasts.
   *
   * @throws {HeldError} If one has.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  readonly look: () => Promise<void>;
  /**
   * Takes it at once where the last look found the claim of this run; does nothing elsewhere.
   *
   * Nobody else waits for that, and of several processes that resume the run only one does a step of it: the
   * others would see nodes in the middle of what that one does to them.
   *
   * @throws {HeldError} If another process was faster.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  readonly reclaim: () => Promise<void>;
  /**
   * Looks whether another process has it, or has had it since the last look, and changes nothing.
   *
   * @returns What forbids to continue; `undefined` when nothing does, or it is unknown.
   */
  readonly elsewhere: () => Promise<OsctlError | undefined>;
  /** True when another process has it, or had it while this one did. */
  readonly isTaken: () => boolean;
  /** True when this process did not run for longer than the lock lasts, so that what it knows of the cluster counts no more. */
  readonly isSuspended: () => boolean;
  /**
   * Forgets that, and looks as a process does that resumes the run.
   *
   * @throws {HeldError} If another process has it, or another run a claim.
   * @throws {RefusedError} If another copy of the run has gone further.
   */
  readonly reenter: () => Promise<void>;
  /** Gives it back. `finished`: true when nothing is left to continue with, so that the claim goes as well. */
  readonly release: (finished: boolean) => Promise<void>;
}
