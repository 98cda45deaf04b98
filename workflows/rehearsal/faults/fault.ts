/** Faults of rehearsals: kind, target and moment. */

import type { RpcCode } from "../../../errors.ts";

/** Target of a fault. */
export type Where =
  /** The process that runs the runbook, its disk, or the clock of its machine. */
  | { readonly kind: "runner" | "disk" | "clock" }
  /** Kubernetes as a whole, or the image registry. */
  | { readonly kind: "k8s" | "registry" }
  | {
    /** Nodes, or their etcd members. */
    readonly kind: "node" | "etcd";
    /** Name with `*`, with or without the name of the cluster. */
    readonly glob: string;
  }
  | {
    readonly kind: "rpc";
    /** Name of the method; `*` for any. */
    readonly method: string;
    /** Name of the node; absent for any. */
    readonly node?: string;
  };

/** Moment at which a fault is injected. */
export type FaultMoment =
  /** Before the first action. */
  | { readonly kind: "start" }
  | {
    readonly kind: "step";
    /** Its path, or the end of it; `*` matches a part of a name, and as the last name everything below. */
    readonly glob: string;
  }
  | {
    /** A record is written to the journal, or a call is sent. */
    readonly kind: "record" | "call";
    readonly number: number;
  }
  | {
    readonly kind: "time";
    /** Time since the start, in milliseconds. */
    readonly ms: number;
  };

/** A fault. */
export interface RehearsalFault {
  readonly text: string;
  readonly where: Where;
  /** Kind of fault: one of {@linkcode words}. */
  readonly what: string;
  /** Duration or offset, in milliseconds; for `slow`, `skew` and `kubelet-late`. */
  readonly ms?: number;
  /** Status; for `error`. */
  readonly code?: RpcCode;
  /** Kind of alarm; for `alarm`. */
  readonly alarm?: "NOSPACE" | "CORRUPT";
  readonly at: FaultMoment;
  /** Duration in milliseconds; absent if permanent. For a killed process: time until the next one. */
  readonly forMs?: number;
  /** Number of affected calls, or of injections; absent for all calls, and for one injection. */
  readonly times?: number;
}

/** Argument of a kind of fault. */
export type FaultArgument = "duration" | "status" | "alarm";

const calls: Readonly<Record<string, FaultArgument | undefined>> = {
  slow: "duration",
  error: "status",
  "drop-before-send": undefined,
  "drop-after-send": undefined,
};

/** Kinds of faults by target, with their argument. */
export const words: Readonly<
  Record<Where["kind"], Readonly<Record<string, FaultArgument | undefined>>>
> = {
  runner: { kill: undefined, "kill-before": undefined },
  disk: { "disk-full": undefined, "read-only": undefined },
  clock: { skew: "duration" },
  k8s: {
    down: undefined,
    "pdb-blocks": undefined,
    "lease-lost": undefined,
    "webhook-refuses": undefined,
  },
  registry: { down: undefined, "not-found": undefined },
  node: {
    "never-returns": undefined,
    "returns-old-version": undefined,
    "kubelet-down": undefined,
    "kubelet-late": "duration",
    "static-pod-fails": undefined,
    down: undefined,
    "pdb-blocks": undefined,
    joins: undefined,
    leaves: undefined,
    skew: "duration",
    ...calls,
  },
  etcd: {
    unhealthy: undefined,
    alarm: "alarm",
    learner: undefined,
    "leader-moves": undefined,
    "data-lost": undefined,
  },
  rpc: calls,
};

/** A fault that was injected into a run. */
export interface InjectedFault {
  /** The fault in its notation: `node/worker-2: never-returns @ restart`. */
  readonly fault: string;
  /** Virtual start time, ISO 8601; absent if the run never reached its moment. */
  readonly at?: string;
  /** Virtual end time, ISO 8601; absent if permanent or instantaneous. */
  readonly until?: string;
  /** Path of the step at which it was injected. */
  readonly path?: string;
  readonly node?: string;
  /** Record of the journal at which it was injected. */
  readonly record?: number;
}
