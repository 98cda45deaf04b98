/** What a change of a node is: everything the command line and the runbook runner have to know of it. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { QuorumEffect } from "../etcd/quorum.ts";
import type { ClusterView } from "./cluster_view.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";

/** How bad it is when it goes wrong. */
export type Effect =
  /** Changes nothing. */
  | "read"
  /** Changes something, and the node continues working. */
  | "write"
  /** The node stops working for a while. */
  | "disrupt"
  /** Data is lost. */
  | "destroy";

/** What doing it again means. */
export type Idempotency =
  /** Nothing. */
  | "pure"
  /** The same end, however often. */
  | "converge"
  /** The same end while the key is the same. */
  | "keyed"
  /** Harm. */
  | "once";

/** What became of an attempt whose client died. */
export type Reconciled =
  | "done"
  | "in-progress"
  /** The first part happened, and `resume` does the rest. */
  | "partly"
  | "not-started"
  | "unknown";

/** One node an operation works on. */
export interface NodeContext {
  readonly node: string;
  /** Calls to the node, through any endpoint that works. */
  readonly client: NodeClient;
  /** The cluster the node is part of. */
  readonly cluster: ClusterView;
  /** Aborts when the user interrupts, or the time is up. */
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
  /**
   * Asks again for the leave that was given before the first part, with fresh facts; absent where no rule could forbid it.
   *
   * @returns `refused` when it is not given any more.
   */
  readonly renewLeave?: () => AsyncGenerator<
    OperationProgress,
    Verdict | undefined
  >;
}

/** A step on the way. */
export interface OperationProgress {
  /** What is running, one line, lower case first: `waiting for the node to come back`. */
  readonly text: string;
  /** Name of what the node is asked for next, `install`; it is written down before. */
  readonly step?: string;
}

/** What is written down of an attempt. */
export interface Attempt {
  /** Whether the node accepted it. */
  readonly acknowledged: boolean;
  /** Steps that were about to be taken, in order: `install`. */
  readonly steps: readonly string[];
  /** When it was sent, in milliseconds since 1970; absent where that is not known. */
  readonly sentAt?: number | undefined;
  /** True when the last call failed before anything was sent. */
  readonly unsent?: boolean;
}

/** Something an operation would do to a node. */
export interface PlannedAction {
  /** One verb and what it is done to: `reboot`, `wipe EPHEMERAL`. */
  readonly action: string;
  /** Data that is lost, for people; absent when none is. */
  readonly loses?: string;
  /** True when nothing of the node stops for it, whatever the operation does elsewhere. */
  readonly gentle?: true;
}

/** How an operation ended on one node. */
export type Outcome =
  /** The wanted state was seen. */
  | "done"
  /** There was nothing to do. */
  | "unchanged"
  /** The node took it; not waited for for the end. */
  | "accepted"
  /** The node came back with the old system. */
  | "rolled-back"
  /** The node did not come back in time. */
  | "never-returned"
  /** The node answers, and never stopped doing so. */
  | "never-rebooted"
  /** Something else was missing when the time was up. */
  | "timed-out"
  /** The node said no, or broke off. */
  | "failed"
  /** A rule forbade it; nothing was sent. */
  | "refused"
  /** It is not known whether it happened. */
  | "in-doubt";

/** End of an operation on one node, and why. */
export interface Verdict {
  readonly outcome: Outcome;
  /** What was seen, or what was still missing; for people. */
  readonly reason: string;
  /** What failed it: the status a node sent, `unreachable`, or the number of a safety rule; absent otherwise. */
  readonly code?: string;
  /** What to try next; absent where nothing is known. */
  readonly hint?: string;
}

/**
 * A change of a node.
 *
 * `Input` is what the user asked for and `Key` what identifies one attempt;
 * both are written into the journal, so neither may hold secrets.
 */
export interface Operation<
  Input extends Json,
  Seen,
  Key extends Json,
> {
  /** Name of the command: `reboot`, `etcd leave`. */
  readonly name: string;
  /** How bad it is when it goes wrong. */
  readonly effect: Effect;
  readonly idempotency: Idempotency;
  /**
   * When the node itself is asked for something; default with the call.
   * `never` is for what happens in Kubernetes alone, `at-step` for what writes down its first step.
   */
  readonly touches?: "never" | "at-step";
  /** True when people are asked before, although no data is lost; `destroy` always asks. */
  readonly guarded?: true;
  /** True when nodes go one at a time by default: they stop meanwhile, or their pods have to go elsewhere. */
  readonly rolling?: true;
  /** What it does to the etcd member, if the node has one. */
  readonly quorum: (input: Input) => QuorumEffect;
  /** Id of the etcd member it is about, when that is not the node's own. */
  readonly member?: (input: Input) => string;
  /** Looks at the node; changes nothing. */
  readonly observe: (site: NodeContext, input: Input) => Promise<Seen>;
  /** What would be done; empty when the node is as wanted already. Throws `RefusedError` if a rule forbids it. */
  readonly plan: (seen: Seen, input: Input) => readonly PlannedAction[];
  /** What is said when there is nothing to do; default `nothing to do`. */
  readonly already?: string | ((seen: Seen, input: Input) => string);
  /** What tells this attempt from others. */
  readonly key: (seen: Seen, input: Input) => Key;
  /**
   * Does it; ends when the node has begun it, or with how it ended before that. A node may take a request and then
   * refuse it: what ends with silence waits for evidence that it was begun.
   *
   * @throws {RpcError} What the node says.
   */
  readonly apply: (
    site: NodeContext,
    input: Input,
    key: Key,
  ) => AsyncGenerator<OperationProgress, Verdict | void>;
  /** Finds out what became of an attempt, without sending anything again. */
  readonly reconcile: (
    site: NodeContext,
    input: Input,
    key: Key,
    attempt?: Attempt,
  ) => Promise<Reconciled>;
  /**
   * Does the rest of what `reconcile` found done in part; omitted where that is never found.
   *
   * @throws {RpcError} What the node says.
   */
  readonly resume?: (
    site: NodeContext,
    input: Input,
    key: Key,
  ) => AsyncGenerator<OperationProgress, Verdict | void>;
  /** Waits until the wanted state is seen, or will not be; `site.signal` aborts when the time is up. */
  readonly verify: (
    site: NodeContext,
    input: Input,
    key: Key,
  ) => AsyncGenerator<OperationProgress, Verdict>;
}

/** An operation of any type. */
// Inputs and keys of all operations meet here.
// deno-lint-ignore no-explicit-any
export type AnyOperation = Operation<any, any, any>;
