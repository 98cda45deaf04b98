/** Faults of rehearsals: kind, target and moment. */

import type { RpcCode } from "../../../errors.ts";
import type { FaultName } from "../../../simulator/state/faults.ts";

/** A fault of a simulated node, or a change of members. */
export type ClusterFaultKind = FaultName | "joins" | "leaves";

/** A fault of a cluster, or of the process and its disk. */
export type FaultKind =
  | ClusterFaultKind
  | "kill"
  | "kill-before"
  | "disk-full"
  | "read-only";

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
  readonly what: FaultKind;
  /** Duration or offset, in milliseconds; for `slow`, `clock-skew` and `kubelet-late`. */
  readonly ms?: number;
  /** Status; for `call-fails`. */
  readonly code?: RpcCode;
  readonly at: FaultMoment;
  /** Duration in milliseconds; absent if permanent. For a killed process: time until the next one. */
  readonly forMs?: number;
  /** Number of affected calls, or of injections; absent for all calls, and for one injection. */
  readonly times?: number;
}

interface KindFacts {
  /** Its argument; absent for none. */
  readonly argument?: "duration" | "status";
  /** Earlier name for this target, still read. */
  readonly alias?: string;
}

const duration = { argument: "duration" } as const;

const calls = {
  slow: duration,
  "call-fails": { argument: "status", alias: "error" },
  "request-lost": { alias: "drop-before-send" },
  "reply-lost": { alias: "drop-after-send" },
} as const;

/** Faults by target. */
export const faultKinds: Readonly<
  Record<Where["kind"], Readonly<Partial<Record<FaultKind, KindFacts>>>>
> = {
  runner: { kill: {}, "kill-before": {} },
  disk: { "disk-full": {}, "read-only": {} },
  clock: { "clock-skew": { ...duration, alias: "skew" } },
  k8s: {
    "kubernetes-unavailable": { alias: "down" },
    "pdb-blocks": {},
    "lease-lost": {},
    "webhook-refuses": {},
  },
  registry: {
    "registry-down": { alias: "down" },
    "image-missing": { alias: "not-found" },
  },
  node: {
    "never-returns": {},
    "rolled-back": { alias: "returns-old-version" },
    "kubelet-silent": { alias: "kubelet-down" },
    "kubelet-late": duration,
    "static-pod-fails": {},
    unavailable: { alias: "down" },
    "pdb-blocks": {},
    joins: {},
    leaves: {},
    "clock-skew": { ...duration, alias: "skew" },
    ...calls,
  },
  etcd: {
    "etcd-stopped": { alias: "unhealthy" },
    "etcd-nospace": { alias: "alarm NOSPACE" },
    "etcd-corrupt": { alias: "alarm CORRUPT" },
    "etcd-learner": { alias: "learner" },
    "etcd-leads": { alias: "leader-moves" },
    "etcd-data-lost": { alias: "data-lost" },
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
  readonly path?: string;
  readonly node?: string;
  readonly record?: number;
}
