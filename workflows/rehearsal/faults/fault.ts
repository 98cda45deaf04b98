/** Faults of rehearsals: what goes wrong, where, and when. */

import type { RpcCode } from "../../../errors.ts";

/** What goes wrong. */
export type Where =
  /** The process that runs the runbook, its disk, or the clock of its machine. */
  | { readonly kind: "runner" | "disk" | "clock" }
  /** Kubernetes as a whole, or the registry of images. */
  | { readonly kind: "k8s" | "registry" }
  | {
    /** Nodes, or their members of etcd. */
    readonly kind: "node" | "etcd";
    /** Which: a name with `*`, with or without that of the cluster. */
    readonly glob: string;
  }
  | {
    readonly kind: "rpc";
    /** Name of the method; `*` for all. */
    readonly method: string;
    /** Name of the node; absent for all. */
    readonly node?: string;
  };

/** When a fault strikes. */
export type FaultMoment =
  /** Before anything is done. */
  | { readonly kind: "start" }
  | {
    readonly kind: "step";
    /** Its path, or the end of it; `*` stands for a part of a name, and as the last name for all below. */
    readonly glob: string;
  }
  | {
    /** When a record is written to the journal, or is a call sent. */
    readonly kind: "record" | "call";
    readonly number: number;
  }
  | {
    readonly kind: "time";
    /** Since the start, in milliseconds. */
    readonly ms: number;
  };

/** A fault. */
export interface RehearsalFault {
  readonly text: string;
  readonly where: Where;
  /** How: one of the words of {@linkcode words}. */
  readonly what: string;
  /** How long or how far, in milliseconds; for `slow`, `skew` and `kubelet-late`. */
  readonly ms?: number;
  /** Status; for `error`. */
  readonly code?: RpcCode;
  /** Kind of alarm; for `alarm`. */
  readonly alarm?: "NOSPACE" | "CORRUPT";
  readonly at: FaultMoment;
  /** How long it lasts, in milliseconds; absent when it stays. For a process that is killed: until the next one. */
  readonly forMs?: number;
  /** How many calls it spoils, or how often it strikes; absent for all calls, and for once. */
  readonly times?: number;
}

/** What follows a word. */
export type FaultArgument = "duration" | "status" | "alarm";

const calls: Readonly<Record<string, FaultArgument | undefined>> = {
  slow: "duration",
  error: "status",
  "drop-before-send": undefined,
  "drop-after-send": undefined,
};

/** What may go wrong, by where; with what follows the word. */
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

/** Something that was done to a run. */
export interface InjectedFault {
  /** The fault as it is written: `node/worker-2: never-returns @ restart`. */
  readonly fault: string;
  /** Virtual time when it began, ISO 8601; absent when the run never came there. */
  readonly at?: string;
  /** Virtual time when it ended, ISO 8601; absent when it stayed, or took no time. */
  readonly until?: string;
  /** Path of the step at which it was injected. */
  readonly path?: string;
  readonly node?: string;
  /** Record of the journal at which it was injected. */
  readonly record?: number;
}
