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
 * files, the network, the clock or other modules, and has to make the same
 * runbook every time.
 */

/** JSON, in which values that are only known later may stand anywhere. */
export type Data =
  | string
  | number
  | boolean
  | null
  | Value
  | readonly Data[]
  | { readonly [key: string]: Data };

/** A value that is known when the runbook runs. In a template literal it becomes `${{ … }}`. */
export interface Value {
  /** CEL: `inputs.version`. */
  readonly expression: string;
  /** A member of the value. */
  get(name: string): Value;
  /** The value as a part of a text: `${{ inputs.version }}`. */
  toString(): string;
  /** The value where it is a whole. */
  toJSON(): string;
}

/** CEL that is true or false. */
export type Condition = string | Value;

/** Name of a group of nodes. */
export type GroupName = string;

/** Go's notation: `1h30m`. */
export type Duration = string | Value;

/** A number of nodes, or a share of them: `25%`. */
export type Count = number | string | Value;

/** What is handed to the default export. */
export interface Api {
  /**
   * Makes a runbook; the default export returns it.
   *
   * @param name Letters, digits and hyphens.
   */
  runbook(name: string, head: Head, fill: (b: Builder) => void): Runbook;
  /** An expression: `rb.cel\`size(groups.all) > ${count}\``. Values are put in as they are, others as literals. */
  cel(parts: TemplateStringsArray, ...values: readonly Data[]): Value;
}

/** A finished runbook. */
export interface Runbook {
  /** Tells it from other objects. */
  readonly kind: "Runbook";
}

/** What is at the top of a runbook. */
export interface Head {
  /** One line for people. */
  readonly title: string;
  /** Markdown for `osctl runbook show`. */
  readonly docs?: string;
  /** `node` for those that are only used inside a `forEach`. */
  readonly per?: "cluster" | "node";
  /** What is required. */
  readonly requires?: {
    /** Range of versions of this client: `>=1.0.0`. */
    readonly osctl?: string;
    /** Role the certificate needs: `os:admin`. */
    readonly role?: string;
    /** What the run cannot do without. */
    readonly needs?: readonly "kubernetes"[];
  };
  /** Limits of a run. */
  readonly policy?: {
    /** `none` for runbooks that only read. */
    readonly lock?: "cluster" | "none";
    /** Longest time for the whole run. */
    readonly deadline?: Duration;
    /** `frozen`: nodes that join or leave stop the run. */
    readonly membership?: "open" | "frozen";
    /** When disruptions may begin. */
    readonly window?: readonly {
      /** Days on which it begins. */
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
    /** Safety rules that are overridden. */
    readonly allow?: readonly {
      /** Its name. */
      readonly rule:
        | "degraded-etcd"
        | "etcd-quorum"
        | "single-member-downtime"
        | "version-path"
        | "image-identity"
        | "destroy-etcd-data";
      /** Only then. */
      readonly when?: Condition;
      /** Why, for the plan and the approval. */
      readonly reason?: string;
    }[];
  };
}

/** An input of the runbook. */
export interface InputOptions {
  /** Whether it has to be given; default false. */
  readonly required?: boolean;
  /** Value when none is given. */
  readonly default?: string | number | boolean | readonly string[];
  /** Regular expression that a text has to match as a whole. */
  readonly pattern?: string;
  /** Least number, count or duration. */
  readonly min?: number | string;
  /** Greatest number, count or duration. */
  readonly max?: number | string;
  /** One line for people. */
  readonly description?: string;
  /** Whether it may be another one on resume. */
  readonly mutable?: boolean;
  /** What a secret holds. */
  readonly format?: "ca-bundle";
}

/** Declares inputs by their types. */
export interface Inputs {
  /** A text. */
  string(name: string, options?: InputOptions): Value;
  /** A whole number. */
  int(name: string, options?: InputOptions): Value;
  /** True or false. */
  bool(name: string, options?: InputOptions): Value;
  /** A length of time. */
  duration(name: string, options?: InputOptions): Value;
  /** A version: `v1.13.4`. */
  semver(name: string, options?: InputOptions): Value;
  /** One of some words. */
  enum(
    name: string,
    values: readonly string[],
    options?: InputOptions,
  ): Value;
  /** A number of nodes, or a share of them. */
  countOrPercent(name: string, options?: InputOptions): Value;
  /** A file on this machine. */
  path(name: string, options?: InputOptions): Value;
  /** Name of a node. */
  node(name: string, options?: InputOptions): Value;
  /** Names of nodes. */
  nodes(name: string, options?: InputOptions): Value;
  /** A secret, which is only handed on. */
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
  /** The first so many. */
  readonly take?: Count;
  /** Order, the first key first. */
  readonly order?: readonly (
    | "name"
    | "zone"
    | "zoneRoundRobin"
    | "version"
    | "etcdLeaderLast"
  )[];
  /** `entry`: resolved anew when a step that names it starts. */
  readonly at?: "plan" | "entry";
}

/** What every step may have. */
export interface StepOptions {
  /** One line for people. */
  readonly title?: string;
  /** Only then. */
  readonly when?: Condition;
  /** What a failure does to what comes after. */
  readonly onFailure?: "fail" | "continue";
  /** Whether there is no way back behind it. */
  readonly pointOfNoReturn?: boolean;
}

/** How a module is run. */
export interface RunOptions extends StepOptions {
  /** Longest time of one attempt. */
  readonly timeout?: Duration;
  /** When it is tried again; a number is that of the attempts. */
  readonly retry?: number | {
    /** How often in all. */
    readonly attempts: number;
    /** Time between two attempts. */
    readonly backoff?: {
      /** Before the second attempt. */
      readonly initial?: string;
      /** How much longer each time. */
      readonly factor?: number;
      /** Longest. */
      readonly max?: string;
      /** `full`: a random part of that time. */
      readonly jitter?: "full" | "none";
    };
    /** Failures after which it is tried again. */
    readonly on?: readonly string[];
  };
  /** Repeats a module that only reads. */
  readonly until?: {
    /** CEL over `result`. */
    readonly condition: Condition;
    /** Time between two looks. */
    readonly poll?: Duration;
    /** Longest time for all of it. */
    readonly timeout?: Duration;
  };
}

/** A check with its input. */
export interface GateCheck {
  /** Name: `k8s.nodeReady`. */
  readonly check: string;
  /** What it takes. */
  readonly with?: Readonly<Record<string, Data>>;
  /** Only then. */
  readonly when?: Condition;
}

/** Steps in a block or for a node that fail. */
export interface HandlerOptions extends StepOptions {
  /** When it fails. */
  readonly rescue?: (s: Steps) => void;
  /** At its end in any case. */
  readonly always?: (s: Steps) => void;
}

/** How a fan-out continues. */
export interface Strategy {
  /** Nodes at once; a list is a ramp. */
  readonly batch?: Count | readonly Count[];
  /** Nodes that may be away for any reason. */
  readonly maxUnavailable?: Count;
  /** Nodes that may fail. */
  readonly maxFailures?: Count;
}

/** A list of steps that grows. */
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
      /** Longest wait. */
      readonly within?: Duration;
      /** How long it must hold without a break. */
      readonly holdFor?: Duration;
    },
  ): void;
  /** Waits for a human. */
  approve(
    id: string,
    question: {
      /** Name for `--yes=<tag>`. */
      readonly tag: string;
      /** What is asked. */
      readonly message: string;
      /** Whether `--yes` alone is not enough. */
      readonly destructive?: boolean;
      /** What has to be typed. */
      readonly typed?: string | Value;
      /** How long an answer holds. */
      readonly timeout?: Duration;
    },
    options?: StepOptions,
  ): void;
  /** Stops when something does not hold. */
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
  /** Steps for every node of a group, or of `changed`: the nodes that the block around has changed. */
  forEach(
    id: string,
    nodes: GroupName,
    strategy: Strategy,
    fill: (n: Steps) => void,
    options?: HandlerOptions,
  ): Value;
  /** Steps with error handling. */
  block(id: string, fill: (s: Steps) => void, options?: HandlerOptions): Value;
  /** Another runbook: `./file.runbook.yaml` or `builtin:name`. */
  use(
    id: string,
    source: string,
    given?: Readonly<Record<string, Data>> | "same-named",
    options?: StepOptions,
  ): Value;
}

/** A runbook that grows. */
export interface Builder extends Steps {
  /** Declares an input. */
  readonly input: Inputs;
  /** A constant. */
  variable(name: string, value: Data): Value;
  /** A set of nodes. */
  group(name: string, group: Group): GroupName;
  /** What is done when the work fails. */
  rescue(fill: (s: Steps) => void): void;
  /** What is done at the end in any case. */
  always(fill: (s: Steps) => void): void;
  /** A value shown at the end. */
  output(name: string, value: Data): void;
}
