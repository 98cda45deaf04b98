/**
 * A runbook as the engine runs it: what YAML and TypeScript become.
 *
 * All of it is JSON, and is frozen into the folder of a run.
 */

import type { Json } from "../../lib/json.ts";
import type { Template, ValueField } from "../runbook_cel/field.ts";
import type { OverridableRule } from "../operations/safety_rules.ts";
import type { ErrorCode } from "../operations/change.ts";

/** CEL over the names in scope, without `${{ }}`. */
export type Expression = string;

/** Where something is, for messages. */
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
  /** `node` for those that are only used inside a `forEach`. */
  readonly per: "cluster" | "node";
  readonly requires: Requirements;
  /** What the operator gives, in the order of the file. */
  readonly inputs: Readonly<Record<string, RunbookInput>>;
  /** Constants, evaluated once, in order. */
  readonly vars: readonly Variable[];
  readonly policy: Policy;
  /** Named sets of nodes, in the order of the file. */
  readonly groups: Readonly<Record<string, NodeGroup>>;
  readonly steps: readonly Step[];
  readonly rescue: readonly Step[];
  /** What is done at the end in any case. */
  readonly always: readonly Step[];
  /** Values printed at the end and handed to a runbook that uses this one. */
  readonly outputs: Readonly<Record<string, Template>>;
  readonly place: SourcePosition;
}

/** What is required. */
export interface Requirements {
  /** Range of versions of this client: `>=1.0.0`. */
  readonly osctl?: string;
  /** Role the certificate needs: `os:admin`. */
  readonly role?: string;
  /** `kubernetes` when nothing can be done without its API. */
  readonly needs: readonly "kubernetes"[];
}

/** A value the operator gives. */
export interface RunbookInput extends ValueField {
  /** Regular expression a string has to match as a whole. */
  readonly pattern?: string;
  /** Least number, or shortest duration. */
  readonly min?: Json;
  /** Greatest number, or longest duration. */
  readonly max?: Json;
  /** True when it may be another one on resume; default false. */
  readonly mutable?: boolean;
  /** What a secret holds: `ca-bundle`. */
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
  /** Longest time for the whole run. */
  readonly deadline?: Template;
  /** `frozen`: nodes that join or leave stop the run. */
  readonly membership: "open" | "frozen";
  /** When disruptions may begin; at any time when empty. */
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
  /** Only then; always when absent. */
  readonly when?: Expression;
  /** Why, for the plan and the approval. */
  readonly reason?: string;
}

/** Keys nodes are put in order by. */
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
  /** Only these. */
  readonly names?: Template;
  /** Only nodes with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only nodes for which it holds, over `node`. */
  readonly where?: Expression;
  /** Only nodes of this group. */
  readonly from?: string;
  /** Nodes of any of these groups. */
  readonly union?: readonly string[];
  /** Without the nodes of these groups. */
  readonly except: readonly string[];
  readonly take?: Template;
  readonly order: readonly OrderKey[];
  /** `entry`: resolved anew when a step that names it starts. */
  readonly at: "plan" | "entry";
  /** True for the group that every runbook has: nodes that the block around the step has changed. */
  readonly changed?: true;
  readonly place: SourcePosition;
}

/** What every step has. */
export interface StepHead {
  readonly id: string;
  readonly title?: string;
  /** Only then. */
  readonly when?: Expression;
  /** What a failure does to what comes after. */
  readonly onFailure: "fail" | "continue";
  /** True when there is no way back behind it. */
  readonly pointOfNoReturn: boolean;
  readonly place: SourcePosition;
}

/** Steps with error handling. */
export interface Work {
  readonly steps: readonly Step[];
  /** When it fails; inside of a fan-out, on a node. */
  readonly rescue: readonly Step[];
  /** In any case; inside of a fan-out, on every node that was started. */
  readonly always: readonly Step[];
}

/** What a step does, by its verb. */
export interface Verbs {
  readonly run: {
    /** Name of the module, with dots: `etcd.snapshot`. */
    readonly module: string;
    readonly with: Readonly<Record<string, Template>>;
    /** Longest time of one attempt. */
    readonly timeout?: Template;
    readonly retry?: Retry;
    /** Repeats a module that only reads. */
    readonly until?: Until;
  };
  /** Checks that must all hold. */
  readonly gate: {
    /** What must hold. */
    readonly checks: readonly GateCheck[];
    readonly within: Template;
    /** How long it must hold without a break; default no time. */
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
  /** Stops when something does not hold. */
  readonly assert: {
    /** What must hold. */
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
  /** Steps for every node of a group. */
  readonly forEach: Work & {
    readonly nodes: string;
    /** How many at once, and how many may fail. */
    readonly strategy: Strategy;
  };
  readonly block: Work;
  readonly use: {
    /** The runbook, as it was when this one was loaded. */
    readonly runbook: Runbook;
    /** Its inputs. `pass: same-named` is spelt out when it is loaded. */
    readonly with: Readonly<Record<string, Template>>;
  };
}

/** What a step with one of some verbs does; default all. */
export type VerbOf<V extends keyof Verbs = keyof Verbs> = {
  [K in V]: { readonly verb: K } & Verbs[K];
}[V];

/** A step with one of some verbs; default all. */
export type StepOf<V extends keyof Verbs = keyof Verbs> = {
  [K in V]: StepHead & { readonly verb: K } & Verbs[K];
}[V];

/** A step. */
export type Step = StepOf;

/** When a step is tried again. */
export interface Retry {
  /** How often it is tried in all. */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** Errors after which it is tried again; default those of the module. */
  readonly on?: readonly ErrorCode[];
}

/** Time between two attempts. */
export interface Backoff {
  /** Before the second attempt, Go's notation. */
  readonly initial: string;
  readonly factor: number;
  readonly max: string;
  /** `full`: a random time between nothing and that. */
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
  /** Only then. */
  readonly when?: Expression;
  readonly place: SourcePosition;
}

/** How a fan-out continues. */
export interface Strategy {
  /** Nodes at once; a list is a ramp. */
  readonly batch: Template;
  /** Nodes that may be away for any reason; default the first batch. */
  readonly maxUnavailable?: Template;
  /** Nodes that may fail. */
  readonly maxFailures: Template;
}
