/** The plan of a run, as printed by `osctl runbook plan`. */

import type { Effect, PlannedAction } from "../../operations/operation.ts";
import { findRules } from "../../operations/safety_rules.ts";
import type { Json } from "../../../lib/json.ts";

/** Plan of a run. Making it changes nothing. */
export interface Plan {
  readonly v: 1;
  readonly runbook: string;
  /** SHA-256 of its intermediate form with all used runbooks, hexadecimal; the same as in the header of a run. */
  readonly ir: string;
  readonly title: string;
  readonly cluster: {
    readonly id: string;
    readonly name: string;
  };
  /** Creation time, ISO 8601. */
  readonly madeAt: string;
  /** Resolved inputs; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Resolved groups, in the order of the file. */
  readonly groups: readonly PlannedGroup[];
  /** Stages in the order of admission. */
  readonly stages: readonly PlanStage[];
  /** Stages that run when the others fail. */
  readonly rescue: readonly PlanStage[];
  /** Stages that run at the end in any case. */
  readonly always: readonly PlanStage[];
  /** Reasons for which a run would be refused now; empty when there are none. */
  readonly refusals: readonly PlannedRefusal[];
  /** Verdicts of the safety rules now, worst first. */
  readonly safety: readonly SafetyVerdict[];
  /** Values known only at run time. */
  readonly unknowns: readonly Unknown[];
  /** Nodes of the cluster that are missing in an earlier plan or the run's frozen groups. */
  readonly joined: readonly string[];
  /** Nodes in that plan or those groups that have left the cluster. */
  readonly left: readonly string[];
  /** Facts the plan depends on: node (empty for the cluster) to their SHA-256, hexadecimal; nodes of groups only. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Reason for which a run would end. */
export interface PlannedRefusal {
  /** Path of the step where it would end; absent when it would not start. */
  readonly path?: string;
  /** Node; absent outside fan-outs. */
  readonly node?: string;
  readonly reason: string;
}

/** A resolved group. */
export interface PlannedGroup {
  readonly name: string;
  /** Node names, in order. */
  readonly nodes: readonly string[];
  /** `entry`: resolved again when a step that refers to it starts; may differ then. */
  readonly at: "plan" | "entry";
}

/** Certainty that a step runs; `unknown` is decided at run time. */
export type Certainty = "yes" | "no" | "unknown";

/** Common fields of all stages. */
export interface StageHead {
  /** Path of the step: `controlplane/node/body/restart`. */
  readonly path: string;
  /** Id of the step: the last part of its path. */
  readonly id: string;
  readonly title?: string;
  /** Condition as written; absent when there is none. */
  readonly when?: string;
  /** Certainty that it runs; inside a fan-out, see the {@linkcode Preview} of each node. */
  readonly happens: Certainty;
  /** Path of an earlier step at which the run would end; absent when it gets here. */
  readonly behind?: string;
  /** Effect of a failure on later steps. */
  readonly onFailure: "fail" | "continue";
  /** True when the change cannot be rolled back. */
  readonly pointOfNoReturn: boolean;
}

/** Stages with their `rescue` and `always`. */
export interface PlannedWork {
  readonly steps: readonly PlanStage[];
  /** On failure; inside a fan-out, on the failed node. */
  readonly rescue: readonly PlanStage[];
  /** In any case; inside a fan-out, on every started node. */
  readonly always: readonly PlanStage[];
}

/** Planned steps by verb. */
export interface Stages {
  readonly run: {
    /** Name of the module: `etcd.snapshot`. */
    readonly module: string;
    /** Impact of the step. */
    readonly effect: Effect;
    /** One preview outside fan-outs, one per node inside, in the order of admission. */
    readonly previews: readonly Preview[];
  };
  /** Checks that must all hold. */
  readonly gate: {
    readonly checks: readonly PlannedCheck[];
    /** Timeout: `5m`; empty when known only at run time. */
    readonly within: string;
    /** Time for which all checks must hold without interruption: `2m`. */
    readonly holdFor?: string;
  };
  readonly approve: {
    /** Name for `--yes=<tag>`. */
    readonly tag: string;
    /** Question; with `${{ }}` for values known only at run time. */
    readonly message: string;
    /** True when `--yes` alone is not enough. */
    readonly destructive: boolean;
    readonly typed?: string;
  };
  /** Fails when a condition does not hold. */
  readonly assert: {
    readonly that: string;
    readonly holds: Certainty;
    /** Nodes on which it does not hold; absent when there are none, and outside fan-outs. */
    readonly failing?: readonly string[];
    /** Error message. */
    readonly message: string;
  };
  readonly decide: {
    /** Name under `decisions`. */
    readonly name: string;
    /** Value; absent when known only at run time. */
    readonly value?: Json;
  };
  readonly sleep: {
    /** `30s`; empty when known only at run time. */
    readonly duration: string;
  };
  /** Steps for every node of a group. */
  readonly forEach: PlannedWork & {
    readonly group: string;
    /** True when the nodes are known only at run time: `batches` is empty, and the steps are those of any node. */
    readonly open?: true;
    /** Node names by batch, in the order of admission; batches are barriers only in a ramp. */
    readonly batches: readonly (readonly string[])[];
    /** True when each batch must be finished and healthy before the next one starts. */
    readonly ramp: boolean;
    /** Nodes that may be unavailable for any reason. */
    readonly maxUnavailable: number;
    /** Nodes that may fail. */
    readonly maxFailures: number;
  };
  /** Steps with error handling, or another runbook. */
  readonly block: PlannedWork & {
    /** Name of the used runbook, if any. */
    readonly runbook?: string;
  };
}

/** Planned step with one of some verbs; default all. */
export type StageOf<V extends keyof Stages = keyof Stages> = {
  [K in V]: StageHead & { readonly verb: K } & Stages[K];
}[V];

/** Planned step. */
export type PlanStage = StageOf;

/** Preview of a module on a node, or on the cluster. */
export interface Preview {
  /** Node; absent for cluster-wide modules. */
  readonly node?: string;
  /** `nothing`: already in the desired state; `skip`: its condition is false; `refused`: a rule forbids it. */
  readonly outcome:
    | "change"
    | "read"
    | "nothing"
    | "skip"
    | "refused"
    | "unknown";
  /** Planned actions; empty unless `outcome` is `change`. */
  readonly actions: readonly PlannedAction[];
  /** Reason, for display: the current state, the rule that forbids it, or its dependencies. */
  readonly reason?: string;
}

/** Current state of a check of a gate. */
export interface PlannedCheck {
  /** Name: `etcd.quorum`. */
  readonly check: string;
  /** Node; absent outside fan-outs. */
  readonly node?: string;
  /** `skip`: its condition is false; `unknown`: it depends on earlier steps. */
  readonly state: "holds" | "fails" | "skip" | "unknown";
  /** True if it fails and waiting does not help, so that the gate fails at once. */
  readonly final?: true;
  readonly reason?: string;
}

/** Current verdict of a safety rule. */
export interface SafetyVerdict {
  /** `S1` to `S18`. */
  readonly rule: string;
  /** `waits`: it does not hold now, and the run would wait; `overridden`: by the runbook or the operator. */
  readonly state: "refuses" | "waits" | "overridden" | "holds";
  /** Observed state, or reason for the override; for display. */
  readonly reason: string;
  /** Path of the step; absent when it concerns all steps. */
  readonly path?: string;
  readonly node?: string;
}

/** A value known only at run time. */
export interface Unknown {
  readonly path: string;
  /** Field: `when`, `with.image`, `message`. */
  readonly what: string;
  /** Expression as written. */
  readonly expression: string;
  /** Paths of the steps it depends on. */
  readonly needs: readonly string[];
}

/**
 * Names and values of all inputs, as texts; defaults are marked.
 *
 * @param given Names of the others; default not known.
 */
export function listInputs(
  { inputs }: Plan,
  given?: ReadonlySet<string>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(inputs).map(([name, value]) => {
    const text = typeof value === "string" && value !== ""
      ? value
      : JSON.stringify(value);
    return [name, given?.has(name) === false ? `${text} (default)` : text];
  });
}

/** Words for outcomes of steps and states of checks, for display. */
export const stateWords: Readonly<
  Record<Preview["outcome"] | PlannedCheck["state"], string>
> = {
  change: "changes",
  read: "reads",
  nothing: "no change",
  skip: "skipped",
  refused: "refused",
  holds: "holds",
  fails: "fails",
  unknown: "at run time",
};

/** Formats the field of a value that is known only at run time: `when`, `with.image`. */
export function formatField(what: string): string {
  return what === "when" ? "its condition" : what.replace(/^with\./, "");
}

/** Formats an action, with the versions of an installation and what is lost. */
export function formatAction(
  { action, from, to = "", loses }: PlannedAction,
): string {
  const versions = from === undefined
    ? ""
    : ` (from ${from}${to && ` to ${to}`})`;
  return `${action}${versions}${
    loses === undefined ? "" : ` (loses ${loses})`
  }`;
}

/** Formats the requirement of a safety rule, and what was observed. */
export function formatVerdict(
  { rule, reason }: Pick<SafetyVerdict, "rule" | "reason">,
): string {
  const summary = findRules(rule)[0]?.summary;
  return summary === undefined ? reason : `${summary}: ${reason}`;
}

/**
 * Reports whether a run would, or might, change anything.
 *
 * @param plan The plan; its `rescue` stages do not count.
 */
export function hasChanges({ stages, always }: Plan): boolean {
  return [...stages, ...always].some(changes);
}

function changes(stage: PlanStage): boolean {
  if (stage.happens === "no") return false;
  switch (stage.verb) {
    case "run":
      return stage.effect !== "read" &&
        (stage.previews.length === 0 ||
          stage.previews.some(({ outcome }) => open.has(outcome)));
    case "forEach":
    case "block":
      return [...stage.steps, ...stage.always].some(changes);
    default:
      return false;
  }
}

/** Outcomes that may change something. */
const open: ReadonlySet<string> = new Set(["change", "refused", "unknown"]);
