/** Options of a cluster lock. */

import type { Kubernetes } from "../../kubernetes/client.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { RecordOf } from "../journal/record.ts";
import type { KeptJournal } from "../journal/writer.ts";

/** Options of a cluster lock. */
export interface ClusterLockOptions {
  /** Connects to the API server as an administrator; each call reconnects. */
  readonly kubernetes: () => Promise<Kubernetes>;
  readonly run: string;
  readonly operator: string;
  /** Identifies this process; default made by `newProcess`. */
  readonly process?: string;
  readonly clock: OperationClock;
  /** True when nothing may be changed without the lock, because the runbook needs Kubernetes. */
  readonly needed: boolean;
  /** Reports whether the run itself may have made etcd, which stores the lock, unavailable; default never. */
  readonly excused?: () => boolean;
  /** Lease duration, in milliseconds; default 60 s. */
  readonly lastsMs?: number;
  /** The journal, so that no process resumes from an older copy of it; omitted, it is not checked. */
  readonly journal?: Pick<KeptJournal, "end" | "includes">;
  /** Run whose claim is taken over. */
  readonly supersede?: string;
  /** Reports whether a run has finished, so that its claim does not count; default never. */
  readonly hasEnded?: (run: string) => Promise<boolean>;
  /** True when an earlier process of the run may have left its claim; default false. */
  readonly claimed?: boolean;
  /** Aborts the wait for a process that may have exited. */
  readonly signal?: AbortSignal;
  /** Records a change of the lock. */
  readonly record: (data: RecordOf<"lease">["data"]) => Promise<void>;
  readonly note: (text: string) => void;
}
