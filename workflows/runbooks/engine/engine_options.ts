/** What the engine is given: nodes, time, the journal and the people who watch. */

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

/** What an operator is asked. */
export interface ApprovalRequest {
  /** Name for `--yes=<tag>`. */
  readonly tag: string;
  readonly path: string;
  readonly message: string;
  /** True when `--yes` alone is not enough. */
  readonly destructive: boolean;
  readonly typed?: string;
}

/** What an operator answered. */
export interface ApprovalAnswer {
  /** Whether it may continue. */
  readonly approved: boolean;
  /** Who: user of this machine, and the subject of the certificate. */
  readonly by: string;
  /** How: `terminal`, `flag`, `inbox`. */
  readonly how: string;
  readonly reason?: string;
}

/** The lock of a run on its cluster, which others see. */
export interface RunLock {
  /**
   * Takes it before the first change, and makes sure that it is still held before every other.
   *
   * @returns Why it is not held; `undefined` when it is.
   */
  readonly ensure: () => Promise<string | undefined>;
  /** True when another process has it, so that nothing is to be waited for; omitted, never. */
  readonly isTaken?: () => boolean;
  /** True when the process did not run for longer than the lock lasts; omitted, never. */
  readonly isSuspended?: () => boolean;
  /** Forgets that, and looks as a process does that resumes the run; rejects when that one must not continue. */
  readonly reenter?: () => Promise<void>;
  /**
   * Looks whether another process has it, or has had it meanwhile; omitted, none has.
   *
   * @returns What forbids to continue; `undefined` when nothing does.
   */
  readonly elsewhere?: () => Promise<OsctlError | undefined>;
}

/** Requests to stop. */
export interface Stop {
  /** Aborts with the first request: nothing more is started, waits end. */
  readonly soft: AbortSignal;
  /** Aborts with the second: nothing is waited for. */
  readonly hard: AbortSignal;
}

/** What the engine is given. */
export interface EngineOptions {
  readonly run: string;
  readonly runbook: Runbook;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly clock: OperationClock;
  /** A random number from 0 to 1, for backoffs. */
  readonly random: () => number;
  readonly cluster: RunCluster;
  /** The nodes as they were read when the run was started or resumed. */
  readonly firstFacts: Facts;
  /** What the first record says beside the groups: hashes, inputs, operator. */
  readonly start: RunStart;
  /** Files the run has made, when it has ended. */
  readonly artifacts: () => Promise<readonly string[]>;
  readonly found: FoundNames;
  readonly checks: ReadonlyMap<string, Check>;
  readonly journal: RunJournal;
  /** What was written down before. */
  readonly history: RunHistory;
  /** Quorum rules that are overridden now; the engine changes it. */
  readonly allowed: Set<Allowance>;
  readonly lock: RunLock;
  /** Artifacts, secrets, credentials. */
  readonly resources: RunResources;
  /** Asks an operator. Returns `undefined` when there is no operator to ask now. */
  readonly ask: (
    request: ApprovalRequest,
    signal: AbortSignal,
  ) => Promise<ApprovalAnswer | undefined>;
  readonly stop: Stop;
  /** Nodes at once for steps that disturb no node; default 32. */
  readonly parallel: number;
  /** Only these nodes, when given. */
  readonly limit?: ReadonlySet<string>;
  readonly emit: (event: NewEvent) => void;
}
