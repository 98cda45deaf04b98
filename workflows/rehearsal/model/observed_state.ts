/** Actual state of a model cluster, visible or not. */

import type { RecordedCall } from "../../../simulator/in_process/transport.ts";

export interface ObservedNode {
  readonly name: string;
  readonly address: string;
  readonly role: "controlplane" | "worker";
  /** False when it has left the cluster for good. */
  readonly isPart: boolean;
  readonly isOn: boolean;
  readonly isReachable: boolean;
  /** True when it answers, has booted and reports ready. */
  readonly isReady: boolean;
  readonly bootId: string;
  /** Number of reboots since the cluster was created; 0 after the first boot. */
  readonly reboots: number;
  /** Running version: `v1.13.4`. */
  readonly version: string;
  /** Number of installations that succeeded since the cluster was created. */
  readonly installs: number;
  /** Bootable versions on its disk, oldest first. */
  readonly slots: readonly string[];
  /** Version of the next boot; empty if nothing is bootable. */
  readonly nextVersion: string;
  readonly isCordoned: boolean;
  /** Running configuration, YAML. */
  readonly configuration: string;
  /** SHA-256 of CA certificates, hexadecimal. */
  readonly trust: {
    /** Issuer of its node API certificate; empty for none. */
    readonly issuer: string;
    /** CAs of clients that its node API accepts. */
    readonly accepted: readonly string[];
    /** Issuer of its Kubernetes API server certificate; empty for a worker. */
    readonly kubernetesIssuer: string;
    /** CAs that its kubelet trusts, and its API server accepts. */
    readonly kubernetesAccepted: readonly string[];
  };
  /** Its etcd member; absent for a worker. */
  readonly etcd: {
    readonly isRunning: boolean;
    readonly hasData: boolean;
    /** Number of its etcd cluster: the same for members of one cluster; -1 without data. */
    readonly cluster: number;
    readonly isLearner: boolean;
    readonly isLeader: boolean;
    /** Names of the members in its own view. */
    readonly members: readonly string[];
  };
}

/** State of etcd and the control planes from one moment on. */
export interface QuorumRecord {
  /** Start, in milliseconds since 1970. */
  readonly at: number;
  /** True when more than half of the voters of some cluster were running. */
  readonly hasQuorum: boolean;
  /** Number of clusters with a quorum: two are a split brain. */
  readonly clusters: number;
  /** Names of control planes whose etcd was not running. */
  readonly down: readonly string[];
  /** Number of nodes with etcd data. */
  readonly copies: number;
}

export interface ObservedCluster {
  /** Time of the observation, in milliseconds since 1970. */
  readonly at: number;
  /** All nodes, past and present, control planes first. */
  readonly nodes: readonly ObservedNode[];
  /** States of etcd from the start to now; one record for each change. */
  readonly quorum: readonly QuorumRecord[];
  /** Number of times the last copy of the etcd data was lost. */
  readonly dataLost: number;
  readonly calls: readonly Readonly<RecordedCall>[];
}
