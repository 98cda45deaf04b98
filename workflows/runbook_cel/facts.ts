/** Facts of nodes and of the cluster in expressions. */

import type { Json } from "../../lib/json.ts";

/** A node when it was last read: `node` in expressions. */
export interface NodeFacts {
  /** Host name, or address if it has none. */
  readonly name: string;
  readonly address: string;
  readonly role: "controlplane" | "worker";
  readonly reachable: boolean;
  /** True if it reports ready. */
  readonly ready: boolean;
  /** Stage of the machine: `running`; empty if it did not answer. */
  readonly stage: string;
  /** Version of the operating system: `v1.13.4`; empty if it did not answer. */
  readonly version: string;
  /** Schematic id of its image; empty if it has none. */
  readonly schematic: string;
  /** True if that image has customizations. */
  readonly customized: boolean;
  /** Installer image in its configuration; empty if not set. */
  readonly image: string;
  readonly bootId: string;
  /** Boot loader: `systemd-boot`, `grub`; empty if unknown. */
  readonly bootloader: string;
  /** Platform: `metal`, `aws`; empty if it did not answer. */
  readonly platform: string;
  /** True if it was booted with secure boot; false if not reported. */
  readonly secureBoot: boolean;
  /** Version of the kubelet: `v1.34.1`; empty if unknown. */
  readonly kubernetesVersion: string;
  /** Failure zone, from the label `topology.kubernetes.io/zone`; empty if not set. */
  readonly zone: string;
  /** Labels from Kubernetes if it answers, else from the machine configuration. */
  readonly labels: Readonly<Record<string, string>>;
  readonly caps: {
    /** True if it has the installation services of v1.13. */
    readonly lifecycle: boolean;
  };
  readonly etcd: {
    readonly member: boolean;
    readonly leader: boolean;
    readonly learner: boolean;
    /** True if it answered without an error. */
    readonly healthy: boolean;
    /** Number of voting members, as it sees them. */
    readonly voters: number;
    /** State of the data directory: `empty`, `data` or `unknown`. */
    readonly dataDir: string;
  };
}

/** The cluster: `cluster` in expressions. */
export interface ClusterFacts {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  /** Versions of the operating system on nodes, oldest first, each once. */
  readonly versions: readonly string[];
}

/** Values in scope of an expression; absent names are not declared. */
export interface Scope {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly vars: Readonly<Record<string, Json>>;
  /** Nodes of each group, in order. */
  readonly groups: Readonly<Record<string, readonly NodeFacts[]>>;
  readonly cluster: ClusterFacts;
  /** Outputs of finished steps, by id. */
  readonly steps: Readonly<Record<string, Json>>;
  readonly decisions: Readonly<Record<string, Json>>;
  readonly node?: NodeFacts;
  /** Output of the module, in `until`; buckets of the run, in `outputs`. */
  readonly result?: Json;
  /** Error in `rescue`. */
  readonly error?: {
    readonly code: string;
    readonly step: string;
    readonly message: string;
  };
}

/** Name of a fact of a node; `etcd` covers its etcd member. */
export type FactName = keyof NodeFacts;
