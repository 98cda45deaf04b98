/** What a run would do, as far as it can be known before: what `osctl runbook plan` shows. */

import type { Effect, PlannedAction } from "../../operations/operation.ts";
import type { Json } from "../../../lib/json.ts";

/** What a run would do. Only read for; nothing is changed to make it. */
export interface Plan {
  readonly v: 1;
  readonly runbook: string;
  /** SHA-256 of its intermediate form with all it uses, hexadecimal; the one that runs have in their header. */
  readonly ir: string;
  readonly title: string;
  readonly cluster: {
    readonly id: string;
    readonly name: string;
  };
  /** When it was made, ISO 8601. */
  readonly madeAt: string;
  /** Inputs as they were resolved; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Groups as they were resolved, in the order of the file. */
  readonly groups: readonly PlannedGroup[];
  /** The work, in the order of admission. */
  readonly stages: readonly PlanStage[];
  /** What is done when the work fails. */
  readonly rescue: readonly PlanStage[];
  /** What is done at the end in any case. */
  readonly always: readonly PlanStage[];
  /** What a run would be refused for now, if nothing changes; empty when nothing is against it. */
  readonly refusals: readonly PlannedRefusal[];
  /** What the safety rules say now, the worst first. */
  readonly safety: readonly SafetyVerdict[];
  /** What is decided at run time only. */
  readonly unknowns: readonly Unknown[];
  /** Nodes of the cluster that a former plan or the run's frozen groups do not know. */
  readonly joined: readonly string[];
  /** Nodes that it knows and that are gone. */
  readonly left: readonly string[];
  /** Facts the plan rests on: node (empty for those of the cluster) to their SHA-256, hexadecimal; nodes of groups only. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Why a run would end. */
export interface PlannedRefusal {
  /** Path of the step it would end at; absent when it would not begin. */
  readonly path?: string;
  /** Node; absent outside of fan-outs. */
  readonly node?: string;
  readonly reason: string;
}

/** A group as it was resolved. */
export interface PlannedGroup {
  readonly name: string;
  /** Names of its nodes, in order. */
  readonly nodes: readonly string[];
  /** `entry`: it is resolved anew when a step that names it starts, and may then be another one. */
  readonly at: "plan" | "entry";
}

/** Whether something happens: `unknown` is decided at run time. */
export type Certainty = "yes" | "no" | "unknown";

/** What every stage has. */
export interface StageHead {
  /** Path of the step: `controlplane/node/body/restart`. */
  readonly path: string;
  /** Id of the step, the last part of its path. */
  readonly id: string;
  readonly title?: string;
  /** Condition as it is written; absent when there is none. */
  readonly when?: string;
  /** Whether it happens; inside a fan-out each {@linkcode Preview} says it for its node. */
  readonly happens: Certainty;
  /** Path of the step at which the run would end before; absent when it gets here. */
  readonly behind?: string;
  /** What a failure does to what comes after. */
  readonly onFailure: "fail" | "continue";
  /** True when there is no way back behind it. */
  readonly pointOfNoReturn: boolean;
}

/** What is walked through, as stages. */
export interface PlannedWork {
  readonly steps: readonly PlanStage[];
  /** When it fails; inside of a fan-out, on a node. */
  readonly rescue: readonly PlanStage[];
  /** In any case; inside of a fan-out, on every node that was started. */
  readonly always: readonly PlanStage[];
}

/** What a step would do, by its verb. */
export interface Stages {
  readonly run: {
    /** Name of the module: `etcd.snapshot`. */
    readonly module: string;
    /** How bad it is when it goes wrong. */
    readonly effect: Effect;
    /** What it would do; one outside of fan-outs, one for each node inside, in the order of admission. */
    readonly previews: readonly Preview[];
  };
  /** Checks that must all hold. */
  readonly gate: {
    readonly checks: readonly PlannedCheck[];
    /** Longest wait: `5m`; empty when it is decided at run time. */
    readonly within: string;
    /** How long it must hold without a break: `2m`. */
    readonly holdFor?: string;
  };
  readonly approve: {
    /** Name for `--yes=<tag>`. */
    readonly tag: string;
    /** What is asked; with `${{ }}` where it is decided at run time. */
    readonly message: string;
    /** True when `--yes` alone is not enough. */
    readonly destructive: boolean;
    readonly typed?: string;
  };
  /** Stops when something does not hold. */
  readonly assert: {
    readonly that: string;
    readonly holds: Certainty;
    /** Nodes on which it does not hold; absent when there are none, and outside of fan-outs. */
    readonly failing?: readonly string[];
    /** What is said when it does not. */
    readonly message: string;
  };
  readonly decide: {
    /** Name under `decisions`. */
    readonly name: string;
    /** The value; absent when it is decided at run time. */
    readonly value?: Json;
  };
  readonly sleep: {
    /** How long: `30s`; empty when it is decided at run time. */
    readonly duration: string;
  };
  /** Steps for every node of a group. */
  readonly forEach: PlannedWork & {
    readonly group: string;
    /** True when only the run knows its nodes: `batches` is empty, and the steps are those of any node. */
    readonly open?: true;
    /** Names of the nodes, in the order of admission, by batch; more batches than one are barriers only in a ramp. */
    readonly batches: readonly (readonly string[])[];
    /** True when each batch must be done and healthy before the next begins. */
    readonly ramp: boolean;
    /** Nodes that may be away for any reason. */
    readonly maxUnavailable: number;
    /** Nodes that may fail. */
    readonly maxFailures: number;
  };
  /** Steps with error handling, or another runbook. */
  readonly block: PlannedWork & {
    /** Name of the runbook, where it is another one. */
    readonly runbook?: string;
  };
}

/** One step with one of some verbs, and what it would do; default all. */
export type StageOf<V extends keyof Stages = keyof Stages> = {
  [K in V]: StageHead & { readonly verb: K } & Stages[K];
}[V];

/** One step of the runbook, and what it would do. */
export type PlanStage = StageOf;

/** What a module would do in one place. */
export interface Preview {
  /** Node; absent for what is done to the cluster. */
  readonly node?: string;
  /** `nothing`: it is as wanted already; `skip`: its condition is false; `refused`: a rule forbids it. */
  readonly outcome:
    | "change"
    | "read"
    | "nothing"
    | "skip"
    | "refused"
    | "unknown";
  /** What would be done; empty unless `outcome` is `change`. */
  readonly actions: readonly PlannedAction[];
  /** Why, for people: what is as wanted, what forbids it, what it depends on. */
  readonly reason?: string;
}

/** One check of a gate as it is now. */
export interface PlannedCheck {
  /** Its name: `etcd.quorum`. */
  readonly check: string;
  /** Node; absent outside of fan-outs. */
  readonly node?: string;
  /** `skip`: its condition is false; `unknown`: it depends on steps before it. */
  readonly state: "holds" | "fails" | "skip" | "unknown";
  readonly reason?: string;
}

/** What a safety rule says now. */
export interface SafetyVerdict {
  /** Rule: `S1` to `S18`. */
  readonly rule: string;
  /** `waits`: it does not hold now, and the run would wait; `overridden`: the runbook or the operator took it away. */
  readonly state: "refuses" | "waits" | "overridden" | "holds";
  /** What was seen, or why it was overridden; for people. */
  readonly reason: string;
  /** Path of the step it is about; absent when it is about all of them. */
  readonly path?: string;
  readonly node?: string;
}

/** Something that is decided at run time. */
export interface Unknown {
  readonly path: string;
  /** What of it: `when`, `with.image`, `message`. */
  readonly what: string;
  /** Expression as it is written. */
  readonly expression: string;
  /** Paths of the steps it depends on. */
  readonly needs: readonly string[];
}

/**
 * Reports whether a run would change anything, or might: what is decided at run time counts.
 *
 * @param plan The plan; what is done after failures does not count.
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

/** What is not known to change nothing. */
const open: ReadonlySet<string> = new Set(["change", "refused", "unknown"]);
