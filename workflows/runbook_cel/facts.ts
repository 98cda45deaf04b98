/** What expressions see of nodes and of the cluster. */

import type { Json } from "../../lib/json.ts";

/** A node as it was when it was checked: `node` in expressions. */
export interface NodeFacts {
  /** Host name, or address where it has none. */
  readonly name: string;
  readonly address: string;
  readonly role: "controlplane" | "worker";
  readonly reachable: boolean;
  /** Whether it calls itself ready. */
  readonly ready: boolean;
  /** Stage of the machine: `running`; empty when it did not answer. */
  readonly stage: string;
  /** Version of the system: `v1.13.4`; empty when it did not answer. */
  readonly version: string;
  /** Id of the image's schematic; empty when it has none. */
  readonly schematic: string;
  /** Whether that image holds more than the plain one. */
  readonly customized: boolean;
  /** Image it was installed from, from its configuration; empty when none is named. */
  readonly image: string;
  readonly bootId: string;
  /** Boot loader: `systemd-boot`, `grub`; empty when it is not known. */
  readonly bootloader: string;
  /** Platform: `metal`, `aws`; empty when it did not answer. */
  readonly platform: string;
  /** Whether it was booted with secure boot; false when it does not tell. */
  readonly secureBoot: boolean;
  /** Version of the kubelet: `v1.34.1`; empty when it is not known. */
  readonly kubernetesVersion: string;
  /** Failure zone, from the label `topology.kubernetes.io/zone`; empty when it has none. */
  readonly zone: string;
  /** Labels: Kubernetes' if it answers, else those of the machine configuration. */
  readonly labels: Readonly<Record<string, string>>;
  readonly caps: {
    /** The services of v1.13 for installing. */
    readonly lifecycle: boolean;
  };
  readonly etcd: {
    readonly member: boolean;
    readonly leader: boolean;
    readonly learner: boolean;
    /** Whether it answered and has no error. */
    readonly healthy: boolean;
    /** Members with a vote, as it sees them. */
    readonly voters: number;
    /** Folder of the database: `empty`, `data` or `unknown`. */
    readonly dataDir: string;
  };
}

/** The cluster: `cluster` in expressions. */
export interface ClusterFacts {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  /** Versions of the system that run on nodes, oldest first, each once. */
  readonly versions: readonly string[];
}

/** Values in scope of an expression; absent names are not declared there. */
export interface Scope {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly vars: Readonly<Record<string, Json>>;
  /** Nodes of each group, in order. */
  readonly groups: Readonly<Record<string, readonly NodeFacts[]>>;
  readonly cluster: ClusterFacts;
  /** Outputs of steps that have ended, by id. */
  readonly steps: Readonly<Record<string, Json>>;
  readonly decisions: Readonly<Record<string, Json>>;
  readonly node?: NodeFacts;
  /** Output of the module, in `until`; buckets of the run, in `outputs`. */
  readonly result?: Json;
  /** What went wrong, in `rescue`. */
  readonly error?: {
    readonly code: string;
    readonly step: string;
    readonly message: string;
  };
}

/** A fact of a node; `etcd` stands for all of its part in etcd. */
export type FactName = keyof NodeFacts;
