/** What `run` of a step means: a command, or a step that is only of use in a runbook. */

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

/** What a step works on: a node, or any endpoint with an empty `node` for those of a cluster. */
export interface StepContext extends NodeContext, RunResources {
  readonly run: string;
  /** Reports whether a safety rule is overridden now; the operator is asked when the run has not done so yet. */
  readonly overridden: (rule: OverridableRule) => Promise<boolean>;
  /** Names of the nodes of a group, in order. */
  readonly group: (name: string) => Promise<readonly string[]>;
  /** Reports how far the step is, as one line. */
  readonly note: (text: string) => void;
}

/** What every module has. */
export interface ModuleHead {
  /** Name with dots: `etcd.snapshot`. */
  readonly name: string;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /**
   * `node` for those that work on the node of a fan-out, or on the one that `with.node` names; `any` for those that
   * work on the cluster where there is neither.
   */
  readonly scope: "node" | "cluster" | "any";
  /** What it takes under `with`. */
  readonly input: ValueFields;
  readonly output: ValueFields;
  /** Failures after which a step with `retry` tries again unless it says otherwise; default none. */
  readonly retryable?: readonly ErrorCode[];
  /** Further failures that a runbook may name under `retry.on`; default none. */
  readonly widenable?: readonly ErrorCode[];
  /** Longest time of one attempt when the step says none, in Go's notation; no limit when omitted. */
  readonly timeout?: string;
  /** True when the effect passes by itself, so that it is done again after a stop: a cordon. */
  readonly volatile?: boolean;
  /** False when a run may not stop right behind it: between an install and the restart. Default true. */
  readonly safeAfter?: boolean;
  /** Facts of its node that it may change, where those are fewer than its effect says. */
  readonly changedFacts?: readonly FactName[];
  /** Codes of outcomes that mean something else here than elsewhere: a drain that timed out is `drain-blocked`. */
  readonly codes?: Readonly<Partial<Record<Outcome, ErrorCode>>>;
}

/** A module that only reads, or works on this machine. */
export interface ReadingModule extends ModuleHead {
  readonly kind: "read";
  /** True when it only asks nodes, and writes nothing: a plan asks them, too. */
  readonly looks?: true;
  /** Does it. Returns its output. Throws `OsctlError` for every expected failure. */
  readonly read: (
    site: StepContext,
    input: Readonly<Record<string, Json>>,
  ) => AsyncGenerator<OperationProgress, Readonly<Record<string, Json>>>;
}

/** Values by the names of a module's output. */
export type Outputs = Readonly<Record<string, Json>>;

/** What a step does. */
export type PreparedStep =
  | {
    /** What to do to the node, where that is not the module's own. */
    readonly operation?: AnyOperation;
    readonly input: Json;
    /** Output after a good end; default none. */
    readonly outputOf?: (verdict: Verdict) => Outputs | Promise<Outputs>;
  }
  | {
    /** Output of a step that has nothing to change. */
    readonly output: Outputs;
  };

/** A module that changes something. */
export interface ChangingModule extends ModuleHead {
  readonly kind: "change";
  /** The worst it may do; its sites are {@linkcode StepContext}s. */
  readonly operation: AnyOperation;
  /**
   * Turns what is under `with` into what is done; sends nothing.
   *
   * @throws {OsctlError} For every expected failure.
   */
  readonly prepare: (
    site: StepContext,
    input: Readonly<Record<string, Json>>,
  ) => PreparedStep | Promise<PreparedStep>;
}

/** A module. */
export type Module = ReadingModule | ChangingModule;

/** How bad it is when a module goes wrong. */
export function findEffect(module: Module): Effect {
  return module.kind === "read" ? "read" : module.operation.effect;
}

/** What doing a module again means. */
export function findIdempotency(module: Module): Idempotency {
  return module.kind === "read" ? "pure" : module.operation.idempotency;
}

/** Finds a module by its name; the command line passes its commands in. */
export type FindModule = (name: string) => Promise<Module | undefined>;

/** Values of those that have one when none is given; made anew, to be changed. */
export function collectInitials(fields: ValueFields): Record<string, Json> {
  const initials: Record<string, Json> = {};
  for (const [name, { initial }] of Object.entries(fields)) {
    if (initial !== undefined) initials[name] = initial;
  }
  return initials;
}
