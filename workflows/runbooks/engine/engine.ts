/** A run while it continues: what it was given, and what it has found out since. */

import type { Json } from "../../../lib/json.ts";
import type { Step } from "../runbook.ts";
import type { OverridableRule } from "../../operations/safety_rules.ts";
import type { Failure } from "./failure.ts";
import type { Frame } from "./frame.ts";
import type { FactsCache } from "./facts_cache.ts";
import type { Arbiter } from "../../operations/arbiter.ts";
import type { Evaluator } from "../language/typing/evaluator.ts";
import type { Module } from "../../modules/module.ts";
import type { EngineOptions } from "./engine_options.ts";

/** What expressions are evaluated with, and groups resolved. */
export type Seeing = Pick<
  Engine,
  "evaluator" | "facts" | "groups" | "decisions" | "limit"
>;

/** A run while it continues. */
export interface Engine extends EngineOptions {
  /** A module; the runbook was checked, so it is there. */
  readonly module: (name: string) => Module;
  readonly evaluator: Evaluator;
  /** Admits disruptions of nodes: one for all of the run. */
  readonly arbiter: Arbiter;
  /** Steps that have started something, and those around them, on their node and on none. */
  readonly touched: Set<string>;
  /** Those of them in which nodes were asked to change something. */
  readonly changed: Set<string>;
  /**
   * Runs steps until one fails.
   *
   * @returns Why it failed; `undefined` when none did.
   * @throws {Halt} When the run is to end here, to be resumed.
   */
  readonly runSteps: (
    frame: Frame,
    steps: readonly Step[],
  ) => Promise<Failure | undefined>;
  /** Nodes as they were last seen. */
  readonly facts: FactsCache;
  /** Nodes of groups, by `groupKey`. */
  readonly groups: Map<string, readonly string[]>;
  /** Values that were decided, by name. */
  readonly decisions: Map<string, Json>;
  /** Blocks that were left in their `rescue` or `always`, by node; those of the cluster under an empty name. */
  readonly openPhases: ReadonlyMap<
    string,
    readonly {
      readonly path: string;
      readonly entry: number;
    }[]
  >;
  /** Nodes there were when the run began. */
  readonly members: ReadonlySet<string>;
  /** Rules that are overridden now. */
  readonly allowedNow: Set<OverridableRule>;
  /** Steps that an operator wants done again, by `instanceKey`. */
  readonly redone: readonly string[];
  /** Resolves when what was asked about overridden rules is answered; one question at a time. */
  overriding: Promise<void>;
  /** Why nothing disturbs nodes now, as it was given; empty when something may. */
  waits: string;
  /** When losing data was last approved, in milliseconds since 1970; 0 for never. */
  destroyApprovedAt: number;
  /** Values in scope at the top, for the conditions of overridden rules. */
  top: Frame | undefined;
}
