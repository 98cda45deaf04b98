/** Node changes as values, shared by the command line and runbook steps. */

import type { Environment } from "../../terminal/environment.ts";
import type { Nodes, Selection } from "../../transport/node/nodes.ts";
import type { AnyOperation, Outcome } from "./operation.ts";
import type { Json } from "../../lib/json.ts";

/** Error codes; the list is closed. */
export const errorCodes = [
  "unavailable",
  "deadline",
  "unauthenticated",
  "permission",
  "precondition",
  "busy",
  "registry",
  "not-started",
  "drain-blocked",
  "wrong-version",
  "rolled-back",
  "never-returned",
  "gate-timeout",
  "quorum-risk",
  "lease-lost",
  "in-doubt",
  "refused",
  "invalid",
  "cancelled",
  "internal",
] as const;

/** Kind of a failure. */
export type ErrorCode = typeof errorCodes[number];

/** Environment for preparing a change. */
export interface ChangeEnvironment {
  /** Selected nodes; in a run, the one of the step. */
  readonly nodes: Nodes;
  readonly globals: {
    /** Named nodes; empty for the defaults of the context. */
    readonly nodes: readonly string[];
  };
  /** Opens dedicated connections to nodes; the caller closes them. */
  readonly reopen: (selection: Selection) => Nodes;
  /** Streams, environment and clock. */
  readonly environment: Environment;
  /** Aborts on an interrupt or timeout. */
  readonly signal: AbortSignal;
  /** Shows a message to the user, as one line without its end. */
  readonly note: (text: string) => void;
  /** Id of the run; absent on the command line. */
  readonly run?: string;
}

/** Result of an operation on one node. */
export interface OutcomeRow {
  readonly node: string;
  /** `done`, `unchanged` or `accepted`; other outcomes are errors. */
  readonly outcome: Outcome;
  readonly reason: string;
}

/** Prepared operation and its nodes. */
export interface PreparedChange {
  /** Operation, when not the change's own. */
  readonly operation?: AnyOperation;
  readonly input: Json;
  /** Nodes; default the selected ones. */
  readonly names?: readonly string[];
  /** Operation with less effect, for nodes that need no more. */
  readonly chooseOperation?: (node: string) => AnyOperation;
  /** Formats the row of a success, if it has more fields. */
  readonly toRow?: (row: OutcomeRow) => unknown;
  /** Rows of nodes without changes; default none. */
  readonly rows?: readonly unknown[];
}

/** A change made by a command. */
export interface Change<Values> {
  /** What nodes are changed to, for a confirmation: `to v1.13.4`; absent if the name of the operation says it. */
  readonly target?: (input: Values) => string;
  /** Its operation with the greatest effect. */
  readonly operation: AnyOperation;
  /** Operations by subcommand; omitted if there is only one. */
  readonly operations?: Readonly<Record<string, AnyOperation>>;
  /**
   * Operation for the given inputs, if there are several.
   *
   * @returns `undefined` when nothing is changed.
   */
  readonly chooseOperation?: (values: Values) => AnyOperation | undefined;
  /**
   * Prepares the operation from inputs; reads files, once.
   *
   * @throws {OsctlError} If it is not possible; nothing was sent.
   */
  readonly prepare: (
    values: Values,
    environment: ChangeEnvironment,
  ) => PreparedChange | Promise<PreparedChange>;
  /**
   * Set to allow one node only; several named nodes are refused. `any`: all control planes are equivalent, so one is
   * chosen when the context names several nodes.
   */
  readonly oneNode?: true | "any";
  /** Timeout for each node from its start, if there is none for all, in milliseconds; default 30 minutes. */
  readonly nodeTimeoutMs?: number;
  /** True when the effect may not last: a runbook repeats it after a stop. */
  readonly volatile?: true;
  /** False when a run may not stop right after it. */
  readonly safeAfter?: false;
  /** Facts of its node that it may change, if fewer than its effect implies: none, or its etcd membership. */
  readonly changedFacts?: readonly "etcd"[];
  /** Error codes of outcomes with a special meaning in a runbook. */
  readonly codes?: Readonly<Partial<Record<Outcome, ErrorCode>>>;
}

// Inputs of all commands meet here.
// deno-lint-ignore no-explicit-any
export type AnyChange = Change<any>;
