/** Options of the engine: nodes, clock, journal, events and approvals. */

import type { OsctlError } from "../../../errors.ts";
import type { Check } from "../../checks/check.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { Json } from "../../../lib/json.ts";
import type { NewEvent } from "../event.ts";
import type { RunHistory } from "../journal/history.ts";
import type { RunStart } from "../journal/record.ts";
import type { RunJournal } from "../journal/writer.ts";
import type { FoundNames } from "../language/lookup.ts";
import type { RunResources } from "../../ca/run_resources.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import type { RunCluster } from "./run_cluster.ts";

/** Question to an operator. */
export interface ApprovalRequest {
  /** Name for `--yes=<tag>`. */
  readonly tag: string;
  readonly path: string;
  readonly message: string;
  /** True when `--yes` alone is not enough. */
  readonly destructive: boolean;
  readonly typed?: string;
}

/** Answer of an operator. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  /** User of this machine, and subject of the certificate. */
  readonly by: string;
  /** `terminal`, `flag` or `inbox`. */
  readonly how: string;
  readonly reason?: string;
}

/** Cluster lock of a run, visible to other processes. */
export interface RunLock {
  /**
   * Acquires the lock before the first change, and checks before every other change that it is still held.
   *
   * @returns Why the lock is not held; `undefined` when it is.
   */
  readonly ensure: () => Promise<string | undefined>;
  /** True when another process holds the lock, so that waiting is pointless; default never. */
  readonly isTaken?: () => boolean;
  /** True when the process was suspended for longer than the lock lasts; default never. */
  readonly isSuspended?: () => boolean;
  /** Clears that, and repeats the checks of a resume; rejects when a resume would be refused. */
  readonly reenter?: () => Promise<void>;
  /**
   * Checks whether another process holds the lock, or has held it meanwhile; default none has.
   *
   * @returns Reason not to continue; `undefined` when there is none.
   */
  readonly elsewhere?: () => Promise<OsctlError | undefined>;
}

/** Stop requests. */
export interface Stop {
  /** Aborts with the first request: nothing new starts, and waits end. */
  readonly soft: AbortSignal;
  /** Aborts with the second request: the run stops at once. */
  readonly hard: AbortSignal;
}

/** Options of the engine. */
export interface EngineOptions {
  readonly run: string;
  readonly runbook: Runbook;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly clock: OperationClock;
  /** Random number from 0 to 1, for backoffs. */
  readonly random: () => number;
  readonly cluster: RunCluster;
  /** Facts read when the run was started or resumed. */
  readonly firstFacts: Facts;
  /** Contents of the first record except the groups: hashes, inputs, operator. */
  readonly start: RunStart;
  /** Files of the finished run. */
  readonly artifacts: () => Promise<readonly string[]>;
  readonly found: FoundNames;
  readonly checks: ReadonlyMap<string, Check>;
  readonly journal: RunJournal;
  /** Records of earlier processes. */
  readonly history: RunHistory;
  /** Quorum rules that are overridden now; updated by the engine. */
  readonly allowed: Set<Allowance>;
  readonly lock: RunLock;
  /** Artifacts, secrets, credentials. */
  readonly resources: RunResources;
  /** Asks an operator. Returns `undefined` when none can be asked now. */
  readonly ask: (
    request: ApprovalRequest,
    signal: AbortSignal,
  ) => Promise<ApprovalAnswer | undefined>;
  readonly stop: Stop;
  /** Nodes at once for steps that disturb no node; default 32. */
  readonly parallel: number;
  /** Limits the run to these nodes. */
  readonly limit?: ReadonlySet<string>;
  readonly emit: (event: NewEvent) => void;
}
