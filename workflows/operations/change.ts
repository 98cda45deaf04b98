/** A change of nodes as a value: the command line and a step of a runbook make the same one. */

import type { Environment } from "../../terminal/environment.ts";
import type { Nodes, Selection } from "../../transport/node/nodes.ts";
import type { AnyOperation, Outcome } from "./operation.ts";
import type { Json } from "../../lib/json.ts";

/** Kinds of failure; the list is closed. */
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

/** What a change finds when it is prepared. */
export interface ChangeEnvironment {
  /** The selected nodes; in a run, the one of the step. */
  readonly nodes: Nodes;
  readonly globals: {
    /** Nodes that were named; empty for the default ones of the context. */
    readonly nodes: readonly string[];
  };
  /** Opens nodes over connections of their own; the caller closes them. */
  readonly reopen: (selection: Selection) => Nodes;
  /** Streams, environment and clock. */
  readonly environment: Environment;
  /** Aborts when the user interrupts, or the time is up. */
  readonly signal: AbortSignal;
  /** Tells the person who waits something, as one line without its end. */
  readonly note: (text: string) => void;
  /** Id of the run that makes the change; absent on the command line. */
  readonly run?: string;
}

/** How an operation ended on one node. */
export interface OutcomeRow {
  readonly node: string;
  /** `done`, `unchanged` or `accepted`; other ends are failures. */
  readonly outcome: Outcome;
  readonly reason: string;
}

/** What is done, and to which nodes. */
export interface PreparedChange {
  /** What to do, where that is not the change's own. */
  readonly operation?: AnyOperation;
  readonly input: Json;
  /** Nodes, default the selected ones. */
  readonly names?: readonly string[];
  /** The same with less effect, where a node needs no more. */
  readonly operationOf?: (node: string) => AnyOperation;
  /** Makes the row of a good end, where it says more. */
  readonly rowOf?: (row: OutcomeRow) => unknown;
  /** Rows of nodes that need nothing; default none. */
  readonly rows?: readonly unknown[];
}

/** A change that a command makes. */
export interface Change<Values> {
  /** The worst it may do to a node. */
  readonly operation: AnyOperation;
  /** What it may do, by the word that asks for it; omitted where it is always the same. */
  readonly operations?: Readonly<Record<string, AnyOperation>>;
  /**
   * Which operation the inputs ask for, where it is not always the same.
   *
   * @returns `undefined` when nothing is changed.
   */
  readonly operationOf?: (values: Values) => AnyOperation | undefined;
  /**
   * Turns what was asked for into what is done; files are read here, once.
   *
   * @throws {OsctlError} If it cannot be done like that; nothing was sent.
   */
  readonly prepare: (
    values: Values,
    environment: ChangeEnvironment,
  ) => PreparedChange | Promise<PreparedChange>;
  /**
   * Set when it is made on one node only; several named nodes are refused. `any`: all control planes do the same, so
   * that one is chosen where the context names several nodes.
   */
  readonly oneNode?: true | "any";
  /** Longest wait for each node from its turn, where there is none for all, in milliseconds; default 30 minutes. */
  readonly nodeTimeoutMs?: number;
  /** True when its effect passes by itself, or is taken back: a runbook does it again after a stop. */
  readonly volatile?: true;
  /** False when a run may not stop right behind it. */
  readonly safeAfter?: false;
  /** Facts of its node that it may change, where those are fewer than its effect says: none, or its part in etcd. */
  readonly changedFacts?: readonly "etcd"[];
  /** Codes of outcomes that mean something else in a runbook than elsewhere. */
  readonly codes?: Readonly<Partial<Record<Outcome, ErrorCode>>>;
}

/** A change of any inputs. */
// Inputs of all commands meet here.
// deno-lint-ignore no-explicit-any
export type AnyChange = Change<any>;
