/** State of a running runbook: its options, and what it has learned since. */

import type { Json } from "../../../lib/json.ts";
import type { Step } from "../runbook.ts";
import type { OverridableRule } from "../../operations/safety_rules.ts";
import type { Failure } from "../journal/record.ts";
import type { Frame } from "./frame.ts";
import type { FactsCache } from "./facts_cache.ts";
import type { Arbiter } from "../../operations/arbiter.ts";
import type { Evaluator } from "../language/typing/evaluator.ts";
import type { Module } from "../../modules/module.ts";
import type { ContextSource } from "./contexts.ts";
import type { EngineOptions } from "./engine_options.ts";

/** The part of the engine that evaluates expressions and resolves groups. */
export interface Seeing
  extends Pick<Engine, "evaluator" | "facts" | "groups" | "limit"> {
  readonly decisions: ReadonlyMap<string, unknown>;
}

/** A running runbook. */
export interface Engine extends EngineOptions, ContextSource {
  /** Finds a module; it exists, since the runbook was checked. */
  readonly module: (name: string) => Module;
  readonly evaluator: Evaluator;
  /** Admits disruptions of nodes; one per run. */
  readonly arbiter: Arbiter;
  /** Steps that were started, and the steps around them, with and without their node. */
  readonly touched: Set<string>;
  /** Those of them that sent a change to a node. */
  readonly changed: Set<string>;
  /**
   * Runs steps until one fails.
   *
   * @returns Why it failed; `undefined` when none did.
   * @throws {Halt} When the run stops here; it can be resumed.
   */
  readonly runSteps: (
    frame: Frame,
    steps: readonly Step[],
  ) => Promise<Failure | undefined>;
  readonly facts: FactsCache;
  /** Nodes of groups, by `groupKey`. */
  readonly groups: Map<string, readonly string[]>;
  /** Values of `decide` steps, by name. */
  readonly decisions: Map<string, Json>;
  /** Blocks that were interrupted in their `rescue` or `always`, by node; cluster-wide ones under an empty name. */
  readonly openPhases: ReadonlyMap<
    string,
    readonly {
      readonly path: string;
      readonly entry: number;
    }[]
  >;
  /** Nodes of the cluster when the run started. */
  readonly members: ReadonlySet<string>;
  readonly allowedNow: Set<OverridableRule>;
  /** Steps to run again (`--redo`), by `instanceKey`. */
  readonly redone: readonly string[];
  /** Resolves when the pending question about overridden rules is answered; one question at a time. */
  overriding: Promise<void>;
  /** Reason why the run waits with disruptions, as last reported; empty when it does not. */
  waits: string;
  /** When data loss was last approved, in milliseconds since 1970; 0 for never. */
  destroyApprovedAt: number;
  /** Top-level frame, for the conditions of overridden rules. */
  top: Frame | undefined;
}
