/** The actual state of a model cluster, whether visible or not. */

/** A call that reached a node, or was to. */
export interface RecordedCall {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Name of the node that was to answer it. */
  readonly node: string;
  /** Name of the method: `Reboot`. */
  readonly method: string;
  /** True when a call of this method may change something. */
  readonly mutating: boolean;
  /** True when the node carried it out, whatever the caller was reported. */
  readonly carriedOut: boolean;
}

/** One node. */
export interface ObservedNode {
  readonly name: string;
  readonly address: string;
  readonly role: "controlplane" | "worker";
  /** False when it has left the cluster for good. */
  readonly isPart: boolean;
  /** False when it is switched off. */
  readonly isOn: boolean;
  readonly isReachable: boolean;
  /** True when it answers, has booted and calls itself ready. */
  readonly isReady: boolean;
  readonly bootId: string;
  /** How often it was booted since the cluster was made; 0 after the first boot. */
  readonly reboots: number;
  /** Version it runs: `v1.13.4`. */
  readonly version: string;
  /** How many installers have ended well since the cluster was made. */
  readonly installs: number;
  /** Versions its disk can start, oldest first. */
  readonly slots: readonly string[];
  /** Version the next boot starts; empty when nothing can be started. */
  readonly nextVersion: string;
  /** True when no pods are placed on it. */
  readonly isCordoned: boolean;
  /** Configuration it runs with, YAML. */
  readonly configuration: string;
  /** SHA-256 of certificates of CAs, hexadecimal. */
  readonly trust: {
    /** Who signs its certificate of the node API; empty for no CA. */
    readonly issuer: string;
    /** Whose clients its node API accepts. */
    readonly accepted: readonly string[];
    /** Who signs the certificate of its Kubernetes API server; empty for a worker. */
    readonly kubernetesIssuer: string;
    /** Whom its kubelet trusts, and its API server accepts. */
    readonly kubernetesAccepted: readonly string[];
  };
  /** Its part in etcd; a worker has none. */
  readonly etcd: {
    readonly isRunning: boolean;
    readonly hasData: boolean;
    /** Which of the clusters it belongs to: members with the same number are in one; -1 without data. */
    readonly cluster: number;
    readonly isLearner: boolean;
    readonly isLeader: boolean;
    /** Names of the members, as it knows them. */
    readonly members: readonly string[];
  };
}

/** How etcd and the control planes stood from one moment on. */
export interface QuorumRecord {
  /** Since when, in milliseconds since 1970. */
  readonly at: number;
  /** True when more than half of the voters of some cluster ran. */
  readonly hasQuorum: boolean;
  /** How many clusters had a quorum: two are a split brain. */
  readonly clusters: number;
  /** Names of control planes whose etcd did not run. */
  readonly down: readonly string[];
  /** How many nodes had data of etcd. */
  readonly copies: number;
}

/** The whole cluster. */
export interface ObservedCluster {
  /** When this was so, in milliseconds since 1970. */
  readonly at: number;
  /** All nodes that ever were part, control planes first. */
  readonly nodes: readonly ObservedNode[];
  /** How etcd stood, from the start to now; one record for each change. */
  readonly quorum: readonly QuorumRecord[];
  /** Number of times the last copy of the etcd data was lost. */
  readonly dataLost: number;
  readonly calls: readonly RecordedCall[];
}

/** A call that is recorded; whether it is run shows later. */
export interface RecordedOpenCall extends RecordedCall {
  /** True once the node has carried it out. */
  carriedOut: boolean;
}
