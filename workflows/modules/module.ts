/** Module of a step's `run`: a command, or a step for runbooks only. */

import type { RunResources } from "../ca/run_resources.ts";
import type {
  AnyOperation,
  Effect,
  Idempotency,
  NodeContext,
  OperationProgress,
  Outcome,
  Verdict,
} from "../operations/operation.ts";
import type { Json } from "../../lib/json.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { OverridableRule } from "../operations/safety_rules.ts";
import type { ErrorCode } from "../operations/change.ts";
import type { FactName } from "../runbook_cel/facts.ts";

/** Context of a step: a node, or any endpoint with an empty `node` for cluster steps. */
export interface StepContext extends NodeContext, RunResources {
  readonly run: string;
  /** Reports whether a safety rule is overridden; asks the operator unless the run already did. */
  readonly overridden: (rule: OverridableRule) => Promise<boolean>;
  /** Names of the nodes of a group, in order. */
  readonly group: (name: string) => Promise<readonly string[]>;
  /** Reports progress, as one line. */
  readonly note: (text: string) => void;
}

/** Properties of every module. */
export interface ModuleHead {
  /** Name with dots: `etcd.snapshot`. */
  readonly name: string;
  /** One line for users, upper case first, no period. */
  readonly summary: string;
  /**
   * `node` for steps on the node of a fan-out, or the one in `with.node`; `any` for steps that work on the cluster
   * when there is neither.
   */
  readonly scope: "node" | "cluster" | "any";
  /** Fields of `with`. */
  readonly input: ValueFields;
  readonly output: ValueFields;
  /** Errors retried by a step with `retry` by default; default none. */
  readonly retryable?: readonly ErrorCode[];
  /** Further errors allowed under `retry.on`; default none. */
  readonly widenable?: readonly ErrorCode[];
  /** Default timeout of an attempt, in Go's notation; omitted, no limit. */
  readonly timeout?: string;
  /** True when the effect may not last, so that it is repeated after a stop: a cordon. */
  readonly volatile?: boolean;
  /** False when a run may not stop right after it: between an install and the restart. Default true. */
  readonly safeAfter?: boolean;
  /** Facts of its node that it may change, if fewer than its effect implies. */
  readonly changedFacts?: readonly FactName[];
  /** Error codes of outcomes with a special meaning: a drain that timed out is `drain-blocked`. */
  readonly codes?: Readonly<Partial<Record<Outcome, ErrorCode>>>;
}

/** A module that only reads, or works on this machine. */
export interface ReadingModule extends ModuleHead {
  readonly kind: "read";
  /** True when it only reads from nodes and writes nothing: a plan runs it, too. */
  readonly looks?: true;
  /** Runs it. Returns its output. Throws `OsctlError` for every expected failure. */
  readonly read: (
    context: StepContext,
    input: Readonly<Record<string, Json>>,
  ) => AsyncGenerator<OperationProgress, Readonly<Record<string, Json>>>;
}

/** Values by the names of a module's output. */
export type Outputs = Readonly<Record<string, Json>>;

/** A prepared step. */
export type PreparedStep =
  | {
    /** Operation, when not the module's own. */
    readonly operation?: AnyOperation;
    readonly input: Json;
    /** Output after success; default none. */
    readonly toOutput?: (verdict: Verdict) => Outputs | Promise<Outputs>;
  }
  | {
    /** Output of a step that has nothing to change. */
    readonly output: Outputs;
  };

/** A module that makes a change. */
export interface ChangingModule extends ModuleHead {
  readonly kind: "change";
  /** Its operation with the greatest effect; its contexts are {@linkcode StepContext}s. */
  readonly operation: AnyOperation;
  /**
   * Prepares the change from `with`; sends nothing.
   *
   * @throws {OsctlError} For every expected failure.
   */
  readonly prepare: (
    context: StepContext,
    input: Readonly<Record<string, Json>>,
  ) => PreparedStep | Promise<PreparedStep>;
}

/** A module. */
export type Module = ReadingModule | ChangingModule;

/** Effect of a module. */
export function findEffect(module: Module): Effect {
  return module.kind === "read" ? "read" : module.operation.effect;
}

/** Reports whether a change makes a node unavailable, for a while or for good. */
export function isDisturbing(effect: Effect): boolean {
  return effect === "disrupt" || effect === "destroy";
}

/** Idempotency of a module. */
export function findIdempotency(module: Module): Idempotency {
  return module.kind === "read" ? "pure" : module.operation.idempotency;
}

/** Finds a module by name; the command line adds its commands. */
export type FindModule = (name: string) => Promise<Module | undefined>;

/** Default values of fields; a fresh, mutable object. */
export function collectInitials(fields: ValueFields): Record<string, Json> {
  const initials: Record<string, Json> = {};
  for (const [name, { initial }] of Object.entries(fields)) {
    if (initial !== undefined) initials[name] = initial;
  }
  return initials;
}
