/**
 * Types for runbooks in TypeScript.
 *
 *     import type { Api } from "./osctl-runbook.d.ts";
 *
 *     export default (rb: Api) =>
 *       rb.runbook("restart-workers", { title: "Restart all workers" }, (b) => {
 *         const workers = b.group("workers", { role: "worker" });
 *         b.forEach("each", workers, { batch: 1 }, (n) => {
 *           n.run("restart", "node.reboot");
 *         });
 *       });
 *
 * The function is called once, when the runbook is loaded. It has no access to
 * files, the network, the clock or other modules, and must make the same
 * runbook every time.
 */

/** JSON that may contain values known only at run time. */
export type Data =
  | string
  | number
  | boolean
  | null
  | Value
  | readonly Data[]
  | { readonly [key: string]: Data };

/** A value known only at run time. In a template literal it becomes `${{ … }}`. */
export interface Value {
  /** CEL: `inputs.version`. */
  readonly expression: string;
  /** A member of the value. */
  get(name: string): Value;
  /** The value inside a text: `${{ inputs.version }}`. */
  toString(): string;
  /** The value as JSON. */
  toJSON(): string;
}

/** CEL expression of type bool. */
export type Condition = string | Value;

/** Name of a group of nodes. */
export type GroupName = string;

/** Go's notation: `1h30m`. */
export type Duration = string | Value;

/** A number of nodes, or a percentage: `25%`. */
export type Count = number | string | Value;

/** API passed to the default export. */
export interface Api {
  /**
   * Makes a runbook; the default export returns it.
   *
   * @param name Letters, digits and hyphens.
   */
  runbook(name: string, head: Head, fill: (b: Builder) => void): Runbook;
  /** An expression: `rb.cel\`size(groups.all) > ${count}\``. Values are inserted as expressions, other data as literals. */
  cel(parts: TemplateStringsArray, ...values: readonly Data[]): Value;
}

/** A finished runbook. */
export interface Runbook {
  /** Distinguishes it from other objects. */
  readonly kind: "Runbook";
}

/** Top-level fields of a runbook. */
export interface Head {
  /** One-line description. */
  readonly title: string;
  /** Markdown for `osctl runbook show`. */
  readonly docs?: string;
  /** `node` for runbooks that are only used inside a `forEach`. */
  readonly per?: "cluster" | "node";
  /** Requirements. */
  readonly requires?: {
    /** Version range of osctl: `>=1.0.0`. */
    readonly osctl?: string;
    /** Required role of the certificate: `os:admin`. */
    readonly role?: string;
    /** Required APIs. */
    readonly needs?: readonly "kubernetes"[];
  };
  /** Limits of a run. */
  readonly policy?: {
    /** `none` for runbooks that only read. */
    readonly lock?: "cluster" | "none";
    /** Deadline of the whole run. */
    readonly deadline?: Duration;
    /** `frozen`: nodes that join or leave stop the run. */
    readonly membership?: "open" | "frozen";
    /** Windows in which disruptions may start. */
    readonly window?: readonly {
      /** Days on which it starts. */
      readonly days: readonly (
        | "mon"
        | "tue"
        | "wed"
        | "thu"
        | "fri"
        | "sat"
        | "sun"
      )[];
      /** `20:00`. */
      readonly from: string;
      /** `23:30`; on the next day when before `from`. */
      readonly to: string;
      /** IANA name: `Europe/Berlin`. */
      readonly zone: string;
    }[];
    /** Overridden safety rules. */
    readonly allow?: readonly {
      /** Name of the rule. */
      readonly rule:
        | "degraded-etcd"
        | "etcd-quorum"
        | "single-member-downtime"
        | "version-path"
        | "image-identity"
        | "destroy-etcd-data";
      /** Condition. */
      readonly when?: Condition;
      /** Reason, shown in the plan and the approval. */
      readonly reason?: string;
    }[];
  };
}

/** An input of the runbook. */
export interface InputOptions {
  /** True if required; default false. */
  readonly required?: boolean;
  /** Default value. */
  readonly default?: string | number | boolean | readonly string[];
  /** Regular expression that must match the whole text. */
  readonly pattern?: string;
  /** Minimum number, count or duration. */
  readonly min?: number | string;
  /** Maximum number, count or duration. */
  readonly max?: number | string;
  /** One-line description. */
  readonly description?: string;
  /** True if it may change on resume. */
  readonly mutable?: boolean;
  /** Format of a secret. */
  readonly format?: "ca-bundle";
}

/** Declares inputs by type. */
export interface Inputs {
  /** A string. */
  string(name: string, options?: InputOptions): Value;
  /** An integer. */
  int(name: string, options?: InputOptions): Value;
  /** A boolean. */
  bool(name: string, options?: InputOptions): Value;
  /** A duration. */
  duration(name: string, options?: InputOptions): Value;
  /** A version: `v1.13.4`. */
  semver(name: string, options?: InputOptions): Value;
  /** One of a set of words. */
  enum(
    name: string,
    values: readonly string[],
    options?: InputOptions,
  ): Value;
  /** A number of nodes, or a percentage. */
  countOrPercent(name: string, options?: InputOptions): Value;
  /** A file on this machine. */
  path(name: string, options?: InputOptions): Value;
  /** Name of a node. */
  node(name: string, options?: InputOptions): Value;
  /** Names of nodes. */
  nodes(name: string, options?: InputOptions): Value;
  /** A secret, which can only be passed on. */
  secret(name: string, options?: InputOptions): Value;
}

/** A set of nodes. */
export interface Group {
  /** Only nodes of this role. */
  readonly role?: "controlplane" | "worker";
  /** Only these nodes. */
  readonly names?: readonly (string | Value)[] | Value;
  /** Only nodes with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** CEL over `node`. */
  readonly where?: Condition;
  /** Only nodes of this group. */
  readonly from?: GroupName;
  /** Nodes of any of these groups. */
  readonly union?: readonly GroupName[];
  /** Without the nodes of these groups. */
  readonly except?: readonly GroupName[];
  /** Only the first nodes. */
  readonly take?: Count;
  /** Sort keys, in order of precedence. */
  readonly order?: readonly (
    | "name"
    | "zone"
    | "zoneRoundRobin"
    | "version"
    | "etcdLeaderLast"
  )[];
  /** `entry`: resolved again when a step that refers to it starts. */
  readonly at?: "plan" | "entry";
}

/** Common options of all steps. */
export interface StepOptions {
  /** One-line description. */
  readonly title?: string;
  /** Condition. */
  readonly when?: Condition;
  /** Effect of a failure on later steps. */
  readonly onFailure?: "fail" | "continue";
  /** True if the change cannot be rolled back. */
  readonly pointOfNoReturn?: boolean;
}

/** Options of a module step. */
export interface RunOptions extends StepOptions {
  /** Timeout of one attempt. */
  readonly timeout?: Duration;
  /** Retries; a number sets the attempts. */
  readonly retry?: number | {
    /** Total number of attempts. */
    readonly attempts: number;
    /** Time between attempts. */
    readonly backoff?: {
      /** Before the second attempt. */
      readonly initial?: string;
      /** Backoff factor. */
      readonly factor?: number;
      /** Maximum. */
      readonly max?: string;
      /** `full`: a random part of that time. */
      readonly jitter?: "full" | "none";
    };
    /** Failures to retry. */
    readonly on?: readonly string[];
  };
  /** Repeats a module that only reads. */
  readonly until?: {
    /** CEL over `result`. */
    readonly condition: Condition;
    /** Poll interval. */
    readonly poll?: Duration;
    /** Total timeout. */
    readonly timeout?: Duration;
  };
}

/** A check and its input. */
export interface GateCheck {
  /** Name: `k8s.nodeReady`. */
  readonly check: string;
  /** Input. */
  readonly with?: Readonly<Record<string, Data>>;
  /** Condition. */
  readonly when?: Condition;
}

/** Error handling of a block or a node. */
export interface HandlerOptions extends StepOptions {
  /** Runs on failure. */
  readonly rescue?: (s: Steps) => void;
  /** Runs at the end in any case. */
  readonly always?: (s: Steps) => void;
}

/** Strategy of a fan-out. */
export interface Strategy {
  /** Nodes at once; a list is a ramp. */
  readonly batch?: Count | readonly Count[];
  /** Nodes that may be unavailable for any reason. */
  readonly maxUnavailable?: Count;
  /** Nodes that may fail. */
  readonly maxFailures?: Count;
}

/** Builder of a list of steps. */
export interface Steps {
  /** Runs a module; its output is `value.get("name")`. */
  run(
    id: string,
    module: string,
    given?: Readonly<Record<string, Data>>,
    options?: RunOptions,
  ): Value;
  /** Waits until checks hold. */
  gate(
    id: string,
    checks: readonly (string | GateCheck)[],
    options?: StepOptions & {
      /** Timeout. */
      readonly within?: Duration;
      /** Time for which the checks must hold without interruption. */
      readonly holdFor?: Duration;
    },
  ): void;
  /** Waits for an approval. */
  approve(
    id: string,
    question: {
      /** Name for `--yes=<tag>`. */
      readonly tag: string;
      /** Question. */
      readonly message: string;
      /** True if `--yes` alone is not enough. */
      readonly destructive?: boolean;
      /** Text to type. */
      readonly typed?: string | Value;
      /** Validity of an answer. */
      readonly timeout?: Duration;
    },
    options?: StepOptions,
  ): void;
  /** Fails when a condition does not hold. */
  assert(
    id: string,
    that: Condition,
    message?: string,
    options?: StepOptions,
  ): void;
  /** Computes a value once. */
  decide(id: string, value: Data, options?: StepOptions): Value;
  /** Waits. */
  sleep(id: string, duration: Duration, options?: StepOptions): void;
  /** Steps for every node of a group, or of `changed`: the nodes that the enclosing block has changed. */
  forEach(
    id: string,
    nodes: GroupName,
    strategy: Strategy,
    fill: (n: Steps) => void,
    options?: HandlerOptions,
  ): Value;
  /** Steps with error handling. */
  block(id: string, fill: (s: Steps) => void, options?: HandlerOptions): Value;
  /** Uses another runbook: `./file.runbook.yaml` or `builtin:name`. */
  use(
    id: string,
    source: string,
    given?: Readonly<Record<string, Data>> | "same-named",
    options?: StepOptions,
  ): Value;
}

/** Builder of a runbook. */
export interface Builder extends Steps {
  /** Declares an input. */
  readonly input: Inputs;
  /** A constant. */
  variable(name: string, value: Data): Value;
  /** A set of nodes. */
  group(name: string, group: Group): GroupName;
  /** Steps that run when the runbook fails. */
  rescue(fill: (s: Steps) => void): void;
  /** Steps that run at the end in any case. */
  always(fill: (s: Steps) => void): void;
  /** A value shown at the end. */
  output(name: string, value: Data): void;
}
