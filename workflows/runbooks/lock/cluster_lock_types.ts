/** What the lock of a run on its cluster is taken with. */

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
