/** Faults of model clusters, in the words of rehearsals. */

import type { RpcCode } from "../../../errors.ts";

/** Which calls a fault spoils. */
export interface FaultyCalls {
  /** Name of the method: `Upgrade`; default every method. */
  readonly method?: string;
  /** Name or address of the node that is called; default every node. */
  readonly node?: string;
  /** Ends by itself after so many calls; default never. */
  readonly times?: number;
}

interface FaultOfNode<What extends string> {
  readonly what: What;
  /** Name or address of the node. */
  readonly node: string;
}

/** A fault of a model cluster; `what` is the word of the fault grammar. */
export type ModelFault =
  /** The next reboot leaves the node off; switching the fault off boots it. */
  | FaultOfNode<"never-returns">
  /** The first boot behind an upgrade fails, and the node falls back. */
  | FaultOfNode<"returns-old-version">
  /** The node runs, and its kubelet does not report. */
  | FaultOfNode<"kubelet-down">
  /** A static pod of the control plane that restarts does not become ready. */
  | FaultOfNode<"static-pod-fails">
  /** The node does not answer; it continues running. */
  | FaultOfNode<"down">
  /** The node's etcd does not run, until its data is wiped; its member stays. */
  | FaultOfNode<"unhealthy">
  /** The node's member has lost its vote until it is promoted, or the fault is switched off. */
  | FaultOfNode<"learner">
  /** The node becomes the leader of etcd; nothing is to be switched off. */
  | FaultOfNode<"leader-moves">
  /** The node's etcd has lost its data with the next boot. */
  | FaultOfNode<"data-lost">
  /** The node leaves the cluster for good, as if it was switched off and its member removed. */
  | FaultOfNode<"leaves">
  | {
    /** The node's member raises an alarm. */
    readonly what: "alarm";
    /** Name or address of the node. */
    readonly node: string;
    readonly kind: "NOSPACE" | "CORRUPT";
  }
  | {
    /** The node's clock is off, or its kubelet takes long to restart. */
    readonly what: "skew" | "kubelet-late";
    /** Name or address of the node. */
    readonly node: string;
    /** How far, may be negative, or how long; in milliseconds. */
    readonly ms: number;
  }
  | {
    readonly what: "joins";
    readonly role: "controlplane" | "worker";
  }
  | (FaultyCalls & {
    readonly what: "slow";
    /** By how much, in milliseconds. */
    readonly ms: number;
  })
  | (FaultyCalls & {
    /** Calls are refused before anything is run. */
    readonly what: "error";
    readonly code: RpcCode;
  })
  | (FaultyCalls & {
    /** The connection breaks before a call is run, or after that and before the answer; the caller sees the same. */
    readonly what: "drop-before-send" | "drop-after-send";
  })
  | {
    /** The registry does not answer, or has no such image. */
    readonly what: "registry-down" | "registry-not-found";
  }
  | {
    readonly what: "kubernetes-down";
  }
  | {
    /** A disruption budget lets no pod go. */
    readonly what: "pdb-blocks";
    /** Name or address of the node whose pods stay; default all. */
    readonly node?: string;
  }
  | {
    /** A webhook refuses changes of DaemonSets and Deployments. */
    readonly what: "webhook-refuses";
  }
  | {
    /** Someone else takes every Lease that exists; nothing is to be switched off. */
    readonly what: "lease-lost";
  };
