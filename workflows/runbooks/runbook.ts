/**
 * Runbook as the engine runs it: the compiled form of YAML and TypeScript.
 *
 * All of it is JSON, and is saved in the folder of a run.
 */

import type { Json } from "../../lib/json.ts";
import type { Template, ValueField } from "../runbook_cel/field.ts";
import type { OverridableRule } from "../operations/safety_rules.ts";
import type { ErrorCode } from "../operations/change.ts";

/** CEL over the names in scope, without `${{ }}`. */
export type Expression = string;

/** Position in a source file, for messages. */
export interface SourcePosition {
  /** File as the user named it, or `builtin:name`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A procedure. */
export interface Runbook {
  readonly v: 1;
  /** Name, as `osctl runbook list` shows it. */
  readonly name: string;
  readonly title: string;
  /** Markdown for `osctl runbook show`. */
  readonly docs?: string;
  /** `node` for runbooks that are only used inside a `forEach`. */
  readonly per: "cluster" | "node";
  readonly requires: Requirements;
  /** Inputs from the operator, in the order of the file. */
  readonly inputs: Readonly<Record<string, RunbookInput>>;
  /** Constants, evaluated once, in order. */
  readonly vars: readonly Variable[];
  readonly policy: Policy;
  /** Named sets of nodes, in the order of the file. */
  readonly groups: Readonly<Record<string, NodeGroup>>;
  readonly steps: readonly Step[];
  readonly rescue: readonly Step[];
  /** Steps that run at the end in any case. */
  readonly always: readonly Step[];
  /** Values printed at the end and returned to a runbook that uses this one. */
  readonly outputs: Readonly<Record<string, Template>>;
  readonly place: SourcePosition;
}

/** Requirements of a runbook. */
export interface Requirements {
  /** Version range of this client: `>=1.0.0`. */
  readonly osctl?: string;
  /** Role the certificate needs: `os:admin`. */
  readonly role?: string;
  /** `kubernetes` if the runbook cannot run without its API. */
  readonly needs: readonly "kubernetes"[];
}

/** An input from the operator. */
export interface RunbookInput extends ValueField {
  /** Regular expression that has to match the whole string. */
  readonly pattern?: string;
  /** Minimum number or duration. */
  readonly min?: Json;
  /** Maximum number or duration. */
  readonly max?: Json;
  /** True when it may change on resume; default false. */
  readonly mutable?: boolean;
  /** Format of a secret: `ca-bundle`. */
  readonly format?: string;
}

/** A constant. */
export interface Variable {
  readonly name: string;
  readonly value: Template;
}

/** Limits of a run. */
export interface Policy {
  /** `none` for runbooks that only read. */
  readonly lock: "cluster" | "none";
  /** Timeout of the whole run. */
  readonly deadline?: Template;
  /** `frozen`: nodes that join or leave stop the run. */
  readonly membership: "open" | "frozen";
  /** Windows in which disruptions may start; at any time when empty. */
  readonly window: readonly Window[];
  /** Safety rules that are overridden. */
  readonly allow: readonly RuleOverride[];
}

/** A span of the week. */
export interface Window {
  readonly days:
    readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  /** `20:00`. */
  readonly from: string;
  /** `23:30`; on the next day when before `from`. */
  readonly to: string;
  /** IANA name: `Europe/Berlin`. */
  readonly zone: string;
}

/** A rule that is overridden. */
export interface RuleOverride {
  readonly rule: OverridableRule;
  /** Condition for the override; always when absent. */
  readonly when?: Expression;
  /** Reason, for the plan and the approval. */
  readonly reason?: string;
}

/** Keys for the order of nodes. */
export type OrderKey =
  | "name"
  | "zone"
  | "zoneRoundRobin"
  | "version"
  | "etcdLeaderLast";

/** A named set of nodes. */
export interface NodeGroup {
  /** Only nodes of this role. */
  readonly role?: "controlplane" | "worker";
  /** Only nodes with these names. */
  readonly names?: Template;
  /** Only nodes with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only nodes for which it is true, over `node`. */
  readonly where?: Expression;
  /** Only nodes in this group. */
  readonly from?: string;
  /** Nodes in any of these groups. */
  readonly union?: readonly string[];
  /** Except nodes in these groups. */
  readonly except: readonly string[];
  readonly take?: Template;
  readonly order: readonly OrderKey[];
  /** `entry`: resolved again when a step that names it starts. */
  readonly at: "plan" | "entry";
  /** True for the built-in group of nodes that the block around the step has changed. */
  readonly changed?: true;
  readonly place: SourcePosition;
}

/** Common fields of steps. */
export interface StepHead {
  readonly id: string;
  readonly title?: string;
  /** Condition for the step. */
  readonly when?: Expression;
  /** Effect of a failure on later steps. */
  readonly onFailure: "fail" | "continue";
  /** True when the step cannot be undone. */
  readonly pointOfNoReturn: boolean;
  readonly place: SourcePosition;
}

/** Steps with error handling. */
export interface Work {
  readonly steps: readonly Step[];
  /** Runs when the work fails; inside a fan-out, per node. */
  readonly rescue: readonly Step[];
  /** Runs in any case; inside a fan-out, on every node that was started. */
  readonly always: readonly Step[];
}

/** Fields of a step, by its verb. */
export interface Verbs {
  readonly run: {
    /** Name of the module, with dots: `etcd.snapshot`. */
    readonly module: string;
    readonly with: Readonly<Record<string, Template>>;
    /** Timeout of one attempt. */
    readonly timeout?: Template;
    readonly retry?: Retry;
    /** Repeats a read-only module. */
    readonly until?: Until;
  };
  readonly gate: {
    /** Conditions of the gate. */
    readonly checks: readonly GateCheck[];
    readonly within: Template;
    /** Time for which all must hold without a break; default none. */
    readonly holdFor?: Template;
  };
  readonly approve: {
    /** Name for `--yes=<tag>` and `osctl runbook approve`. */
    readonly tag: string;
    readonly message: Template;
    /** True when `--yes` alone is not enough. */
    readonly destructive: boolean;
    readonly typed?: Template;
    readonly timeout?: Template;
  };
  /** Stops the run when a condition is false. */
  readonly assert: {
    /** Condition to check. */
    readonly that: Expression;
    readonly message: Template;
  };
  readonly decide: {
    /** Name under `decisions`. */
    readonly name: string;
    readonly value: Template;
  };
  readonly sleep: {
    readonly duration: Template;
  };
  /** Runs steps for every node of a group. */
  readonly forEach: Work & {
    readonly nodes: string;
    /** Concurrency, and number of tolerated failures. */
    readonly strategy: Strategy;
  };
  readonly block: Work;
  readonly use: {
    /** The runbook, as of loading. */
    readonly runbook: Runbook;
    /** Its inputs. `pass: same-named` is expanded when it is loaded. */
    readonly with: Readonly<Record<string, Template>>;
  };
}

/** Fields of a step with one of some verbs; default all. */
export type VerbOf<V extends keyof Verbs = keyof Verbs> = {
  [K in V]: { readonly verb: K } & Verbs[K];
}[V];

/** A step with one of some verbs; default all. */
export type StepOf<V extends keyof Verbs = keyof Verbs> = {
  [K in V]: StepHead & { readonly verb: K } & Verbs[K];
}[V];

/** A step. */
export type Step = StepOf;

/** Retry policy of a step. */
export interface Retry {
  /** Maximum number of attempts. */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Errors that are retried; default those of the module. */
  readonly on?: readonly ErrorCode[];
}

/** Time between two attempts. */
export interface Backoff {
  /** Delay before the second attempt, Go's notation. */
  readonly initial: string;
  readonly factor: number;
  readonly max: string;
  /** `full`: a random time between zero and the delay. */
  readonly jitter: "full" | "none";
}

interface Until {
  /** Over `result`. */
  readonly condition: Expression;
  readonly poll: Template;
  readonly timeout: Template;
}

/** One check of a gate. */
export interface GateCheck {
  /** Name: `k8s.nodeReady`. */
  readonly check: string;
  readonly with: Readonly<Record<string, Template>>;
  /** Condition for the check. */
  readonly when?: Expression;
  readonly place: SourcePosition;
}

/** Rollout strategy of a fan-out. */
export interface Strategy {
  /** Nodes at once; a list is a ramp. */
  readonly batch: Template;
  /** Maximum of unavailable nodes, for any reason; default the first batch. */
  readonly maxUnavailable?: Template;
  /** Maximum of failed nodes. */
  readonly maxFailures: Template;
}
