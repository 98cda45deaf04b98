/** Faults of model clusters, named as in rehearsals. */

import type { RpcCode } from "../../../errors.ts";

/** Calls affected by a fault. */
export interface FaultyCalls {
  /** Name of the method: `Upgrade`; default any. */
  readonly method?: string;
  /** Name or address of the called node; default any. */
  readonly node?: string;
  /** Number of calls after which the fault is removed; default never. */
  readonly times?: number;
}

interface FaultOfNode<What extends string> {
  readonly what: What;
  /** Name or address of the node. */
  readonly node: string;
}

/** A fault of a model cluster; `what` is the word in the fault grammar. */
export type ModelFault =
  /** The next reboot leaves the node off; removing the fault boots it. */
  | FaultOfNode<"never-returns">
  /** The first boot after an upgrade fails, and the node rolls back. */
  | FaultOfNode<"returns-old-version">
  /** The node runs, but its kubelet does not report. */
  | FaultOfNode<"kubelet-down">
  /** A static pod of the control plane does not become ready after a restart. */
  | FaultOfNode<"static-pod-fails">
  /** The node does not answer, but keeps running. */
  | FaultOfNode<"down">
  /** The node's etcd does not run, until its data is wiped; its member stays. */
  | FaultOfNode<"unhealthy">
  /** The node's member is a learner until it is promoted, or the fault is removed. */
  | FaultOfNode<"learner">
  /** The node becomes the etcd leader; there is nothing to remove. */
  | FaultOfNode<"leader-moves">
  /** The node's etcd loses its data at the next boot. */
  | FaultOfNode<"data-lost">
  /** The node leaves the cluster for good, as if switched off and its member removed. */
  | FaultOfNode<"leaves">
  | {
    /** The node's member raises an alarm. */
    readonly what: "alarm";
    /** Name or address of the node. */
    readonly node: string;
    readonly kind: "NOSPACE" | "CORRUPT";
  }
  | {
    /** The node's clock is off, or its kubelet restarts slowly. */
    readonly what: "skew" | "kubelet-late";
    /** Name or address of the node. */
    readonly node: string;
    /** Offset, possibly negative, or duration; in milliseconds. */
    readonly ms: number;
  }
  | {
    readonly what: "joins";
    readonly role: "controlplane" | "worker";
  }
  | (FaultyCalls & {
    readonly what: "slow";
    /** Delay in milliseconds. */
    readonly ms: number;
  })
  | (FaultyCalls & {
    /** Calls are refused before they run. */
    readonly what: "error";
    readonly code: RpcCode;
  })
  | (FaultyCalls & {
    /** The connection breaks before a call runs, or between the call and its response; the caller sees the same error. */
    readonly what: "drop-before-send" | "drop-after-send";
  })
  | {
    /** The registry does not answer, or does not have the image. */
    readonly what: "registry-down" | "registry-not-found";
  }
  | {
    readonly what: "kubernetes-down";
  }
  | {
    /** A PodDisruptionBudget blocks all evictions. */
    readonly what: "pdb-blocks";
    /** Name or address of the node whose pods are blocked; default all. */
    readonly node?: string;
  }
  | {
    /** A webhook refuses changes of DaemonSets and Deployments. */
    readonly what: "webhook-refuses";
  }
  | {
    /** Another process takes over every existing Lease; there is nothing to remove. */
    readonly what: "lease-lost";
  };
