/** What the engine is given: nodes, time, the journal and the people who watch. */

import type { NodeClient } from "../../../transport/call/client.ts";
import type { Check } from "../../checks/check.ts";
import type { Json, OperationClock } from "../../operations/operation.ts";
import type { ClusterView } from "../../operations/cluster_view.ts";
import type { Arbiter } from "../../operations/arbiter.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { EventType } from "../event.ts";
import type { NodeFacts, Scope } from "../facts.ts";
import type { RunHistory } from "../journal/history.ts";
import type { Details } from "../journal/record.ts";
import type { RunJournal } from "../journal/writer.ts";
import type { Module, Room } from "../module.ts";
import type { Facts } from "../read_facts.ts";
import type { Expression, Runbook, Template } from "../runbook.ts";

/** The cluster as a run reaches it. */
export interface RunCluster {
  /** What operations and checks look at. */
  readonly view: ClusterView;
  /** A node, by name or address, with any credential of the run that opens it. */
  readonly at: (node: string) => Promise<NodeClient>;
  /** Any endpoint. */
  readonly any: () => Promise<NodeClient>;
  /** Reads all nodes, now. */
  readonly readFacts: () => Promise<Facts>;
  /** Reads some of them again, now; gives them in the same order. */
  readonly readAgain: (
    nodes: readonly NodeFacts[],
  ) => Promise<readonly NodeFacts[]>;
}

/** Where an expression stands: what its names mean follows from that. */
export interface Standing {
  /** The runbook. */
  readonly runbook: Runbook;
  /** Path of the step that uses the runbook; empty for the one that was started. */
  readonly book: string;
  /** Path of what the step is in, that of the book included; empty at the top. */
  readonly path: string;
  /** Module whose output is `result`; absent when there is none, or it is not known. */
  readonly module?: string;
  /** Nodes, by name or address, that the block around has changed; absent where nothing runs yet. */
  readonly changed?: () => ReadonlySet<string>;
}

/** Values of expressions. */
export interface Evaluator {
  /**
   * Value of an expression; null when it is a name whose value is absent.
   *
   * @throws {ConfigError} If it has none.
   */
  readonly evaluate: (source: Expression, scope: Scope, at: Standing) => Json;
  /**
   * Value of a template; null when it is absent as a whole.
   *
   * @throws {ConfigError} If it has none.
   */
  readonly render: (template: Template, scope: Scope, at: Standing) => Json;
  /** Names an expression or template uses, and their first members: `groups`, `groups.workers`, `node`. */
  readonly references: (template: Template) => ReadonlySet<string>;
}

/** What an operator is asked. */
export interface ApprovalRequest {
  /** Name for `--yes=<tag>`. */
  readonly tag: string;
  /** Path of the step. */
  readonly path: string;
  /** What is asked. */
  readonly message: string;
  /** True when `--yes` alone is not enough. */
  readonly destructive: boolean;
  /** What has to be typed. */
  readonly typed?: string;
}

/** What an operator answered. */
export interface ApprovalAnswer {
  /** Whether it may go on. */
  readonly approved: boolean;
  /** Who: user of this machine, and the subject of the certificate. */
  readonly by: string;
  /** How: `terminal`, `flag`, `inbox`. */
  readonly how: string;
  /** Why, when that was said. */
  readonly reason?: string;
}

/** The hold of a run on its cluster, which others see. */
export interface Hold {
  /**
   * Takes it before the first change, and makes sure that it is still there before every other.
   *
   * @returns Why it is not there; `undefined` when it is.
   */
  readonly ensure: () => Promise<string | undefined>;
  /** True when another process has it, so that nothing is to be waited for; left out, never. */
  readonly isTaken?: () => boolean;
}

/** A wish to stop, which grows. */
export interface Stop {
  /** Aborts with the first wish: no more is begun, waits end. */
  readonly soft: AbortSignal;
  /** Aborts with the second: nothing is waited for. */
  readonly hard: AbortSignal;
}

/** What the engine is given. */
export interface Surroundings {
  /** Id of the run. */
  readonly run: string;
  /** What is done. */
  readonly runbook: Runbook;
  /** Values of its inputs. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Time. */
  readonly clock: OperationClock;
  /** A random number from 0 to 1, for backoffs. */
  readonly random: () => number;
  /** The nodes. */
  readonly cluster: RunCluster;
  /** A module; the runbook was checked, so it is there. */
  readonly module: (name: string) => Module;
  /** Checks by name. */
  readonly checks: ReadonlyMap<string, Check>;
  /** Expressions. */
  readonly evaluator: Evaluator;
  /** Where it is written down. */
  readonly journal: RunJournal;
  /** What was written down before. */
  readonly history: RunHistory;
  /** Steps that something was begun in, and those around them, on their node and on none; the engine adds to it. */
  readonly touched: Set<string>;
  /** Grants leave to disturb nodes: one for all of the run. */
  readonly arbiter: Arbiter;
  /** Rules that are loosened now; the arbiter's, which the engine changes. */
  readonly allowed: Set<Allowance>;
  /** The hold on the cluster. */
  readonly hold: Hold;
  /** Artifacts, secrets, credentials. */
  readonly room: Omit<Room, "group" | "loosened" | "run">;
  /**
   * Asks an operator.
   *
   * @returns `undefined` when there is nobody to ask now.
   */
  readonly ask: (
    request: ApprovalRequest,
    signal: AbortSignal,
  ) => Promise<ApprovalAnswer | undefined>;
  /** A wish to stop. */
  readonly stop: Stop;
  /** Nodes at once for steps that disturb nobody; default 32. */
  readonly parallel: number;
  /** Only these nodes, when given. */
  readonly limit?: ReadonlySet<string>;
  /** Tells who watches. */
  readonly tell: (
    type: EventType,
    about: {
      /** Path of the step. */
      readonly path?: string;
      /** Node. */
      readonly node?: string;
      /** Which attempt. */
      readonly attempt?: number;
      /** What else there is to say. */
      readonly data?: Details;
    },
  ) => void;
}
