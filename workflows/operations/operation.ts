/** Operations: node changes for the command line and the runbook runner. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { QuorumEffect } from "../etcd/quorum.ts";
import type { ClusterView } from "./cluster_view.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";

/** Effect of an operation in the worst case. */
export type Effect =
  /** Changes nothing. */
  | "read"
  /** Changes something; the node keeps working. */
  | "write"
  /** The node is unavailable for a while. */
  | "disrupt"
  /** Data is lost. */
  | "destroy";

/** Effect of repeating an operation. */
export type Idempotency =
  | "pure"
  /** The same final state, however often. */
  | "converge"
  /** The same final state for the same key. */
  | "keyed"
  | "once";

/** Outcome of an attempt whose client crashed. */
export type Reconciled =
  | "done"
  | "in-progress"
  /** The first phase happened, and `resume` does the rest. */
  | "partly"
  | "not-started"
  | "unknown";

/** A node of an operation. */
export interface NodeContext {
  readonly node: string;
  /** Calls the node, through any available endpoint. */
  readonly client: NodeClient;
  readonly cluster: ClusterView;
  /** Aborts on an interrupt or timeout. */
  readonly signal: AbortSignal;
  readonly clock: OperationClock;
  /**
   * Renews the permission given before the first phase, with fresh facts; absent where no rule applies.
   *
   * @returns `refused` when it is denied now.
   */
  readonly renewLeave?: () => AsyncGenerator<
    OperationProgress,
    Verdict | undefined
  >;
}

/** Progress of an operation. */
export interface OperationProgress {
  /** Current activity, one line, lower case first: `waiting for the node to come back`. */
  readonly text: string;
  /** Name of the next phase, `install`; journaled before it starts. */
  readonly step?: string;
}

/** Journaled state of an attempt. */
export interface Attempt {
  /** True if the node accepted it. */
  readonly acknowledged: boolean;
  /** Phases started, in order: `install`. */
  readonly steps: readonly string[];
  /** Time it was sent, in milliseconds since 1970; absent if unknown. */
  readonly sentAt?: number | undefined;
  /** True when the last call failed before anything was sent. */
  readonly unsent?: boolean;
}

/** A planned action on a node. */
export interface PlannedAction {
  /** Verb and object: `reboot`, `wipe EPHEMERAL`. */
  readonly action: string;
  /** Data to be lost, for users; absent if none. */
  readonly loses?: string;
  /** Version of the system before an installation. */
  readonly from?: string;
  /** Version of the system after it; absent if the image has none in its name. */
  readonly to?: string;
  /** True when it does not disrupt the node, whatever the operation does otherwise. */
  readonly gentle?: true;
}

/** Outcome of an operation on one node. */
export type Outcome =
  /** The desired state was observed. */
  | "done"
  /** There was nothing to do. */
  | "unchanged"
  /** Accepted by the node; did not wait for the end. */
  | "accepted"
  /** The node came back with the old system. */
  | "rolled-back"
  /** The node did not come back in time. */
  | "never-returned"
  /** The node answers, and never rebooted. */
  | "never-rebooted"
  /** Another condition was not met in time. */
  | "timed-out"
  /** The node refused or aborted it. */
  | "failed"
  /** Forbidden by a rule; nothing was sent. */
  | "refused"
  | "in-doubt";

/** Result of an operation on one node, with its reason. */
export interface Verdict {
  readonly outcome: Outcome;
  /** Observed or missing state; for users. */
  readonly reason: string;
  /** Cause of a failure: the status from the node, `unreachable`, or the code of a safety rule; absent otherwise. */
  readonly code?: string;
  /** Next step; absent if none is known. */
  readonly hint?: string;
}

/**
 * A change of a node.
 *
 * `Input` is the user's request and `Key` identifies one attempt; both are journaled, so neither may contain secrets.
 */
export interface Operation<
  Input extends Json,
  Seen,
  Key extends Json,
> {
  /** Name of the command: `reboot`, `etcd leave`. */
  readonly name: string;
  /** Effect in the worst case. */
  readonly effect: Effect;
  readonly idempotency: Idempotency;
  /**
   * When the node itself is called; default with the first call. `never` for changes in Kubernetes only, `at-step`
   * from the first journaled phase.
   */
  readonly touches?: "never" | "at-step";
  /** True to ask for confirmation although no data is lost; `destroy` always asks. */
  readonly guarded?: true;
  /** True to go one node at a time by default: nodes are unavailable meanwhile, or drained. */
  readonly rolling?: true;
  /** Effect on the node's etcd member, if it has one. */
  readonly quorum: (input: Input) => QuorumEffect;
  /** Id of the etcd member, if not the node's own. */
  readonly member?: (input: Input) => string;
  /** Reads the state of the node; changes nothing. */
  readonly observe: (context: NodeContext, input: Input) => Promise<Seen>;
  /** Planned actions; empty when the node is as wanted already. Throws `RefusedError` if a rule forbids it. */
  readonly plan: (seen: Seen, input: Input) => readonly PlannedAction[];
  /** Reason when there is nothing to do; default `nothing to do`. */
  readonly already?: string | ((seen: Seen, input: Input) => string);
  readonly key: (seen: Seen, input: Input) => Key;
  /**
   * Applies it; returns when the node has begun, or its verdict before that. A node may acknowledge a request and then
   * refuse it: returning nothing requires evidence that it has begun.
   *
   * @throws {RpcError} Error of the node.
   */
  readonly apply: (
    context: NodeContext,
    input: Input,
    key: Key,
  ) => AsyncGenerator<OperationProgress, Verdict | void>;
  /** Finds the outcome of an attempt, without sending it again. */
  readonly reconcile: (
    context: NodeContext,
    input: Input,
    key: Key,
    attempt?: Attempt,
  ) => Promise<Reconciled>;
  /**
   * Finishes what `reconcile` found partly done; omitted where that never happens.
   *
   * @throws {RpcError} Error of the node.
   */
  readonly resume?: (
    context: NodeContext,
    input: Input,
    key: Key,
  ) => AsyncGenerator<OperationProgress, Verdict | void>;
  /** Waits until the desired state is observed, or can no longer be reached; `context.signal` aborts at the timeout. */
  readonly verify: (
    context: NodeContext,
    input: Input,
    key: Key,
  ) => AsyncGenerator<OperationProgress, Verdict>;
}

// Inputs and keys of all operations meet here.
// deno-lint-ignore no-explicit-any
export type AnyOperation = Operation<any, any, any>;
