/** What is known of a run that was rehearsed: what it says of itself, and what was so. */

import type { RunEvent, RunReport } from "../../runbooks/event.ts";
import type { JournalRecord } from "../../runbooks/journal/record.ts";
import type { Runbook } from "../../runbooks/runbook.ts";
import type { InjectedFault } from "../faults/fault.ts";

/** A call that reached the cluster, or was to. */
export interface SeenCall {
  /** Node it was for; `kubernetes`. */
  readonly node: string;
  /** Name of the method: `Reboot`, `PATCH /api/v1/nodes/a`. */
  readonly method: string;
  /** True when a call of this method may change something. */
  readonly mutating: boolean;
  /** True when it was carried out, whatever the caller was told. */
  readonly carriedOut: boolean;
}

/** A node as it is. */
export interface SeenNode {
  /** Name. */
  readonly name: string;
  /** Kind of machine. */
  readonly role: "controlplane" | "worker";
  /** False when it has left the cluster for good. */
  readonly isPart: boolean;
  /** True when it answers, has booted and calls itself ready. */
  readonly isReady: boolean;
  /** How often it was booted since the cluster was made. */
  readonly reboots: number;
  /** Version it runs. */
  readonly version: string;
  /** Versions its disk can start. */
  readonly slots: readonly string[];
  /** Version the next boot starts; empty when nothing can be started. */
  readonly nextVersion: string;
  /** True when no pods are placed on it. */
  readonly isCordoned: boolean;
  /** SHA-256 of certificates of authorities, hexadecimal. */
  readonly trust: {
    /** Who signs its certificate. */
    readonly issuer: string;
    /** Whose clients it accepts. */
    readonly accepted: readonly string[];
    /** Who signs the certificate of its API server; empty for a worker. */
    readonly kubernetesIssuer: string;
    /** Whom its kubelet and its API server accept. */
    readonly kubernetesAccepted: readonly string[];
  };
  /** Its part in etcd. */
  readonly etcd: {
    /** True while its server runs. */
    readonly isRunning: boolean;
    /** Names of the members, as it knows them. */
    readonly members: readonly string[];
  };
}

/** How etcd stood from one moment on. */
export interface SeenQuorum {
  /** Since when, in milliseconds since 1970. */
  readonly at: number;
  /** True when more than half of the voters of some cluster ran. */
  readonly hasQuorum: boolean;
  /** How many clusters had a quorum. */
  readonly clusters: number;
  /** Names of control planes whose etcd did not run. */
  readonly down: readonly string[];
}

/** A cluster as it is. */
export interface SeenCluster {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** All nodes that ever were part. */
  readonly nodes: readonly SeenNode[];
  /** How etcd stood, from the start on; one for each change. */
  readonly quorum: readonly SeenQuorum[];
  /** Number of times the last copy of the etcd data was lost. */
  readonly dataLost: number;
  /** Calls, in order. */
  readonly calls: readonly SeenCall[];
}

/** A file the run has made. */
export interface SeenFile {
  /** Path, as it stands in outputs. */
  readonly path: string;
  /** What it holds. */
  readonly bytes: Uint8Array;
}

/** What is known of a run. */
export interface Evidence {
  /** What was carried out. */
  readonly runbook: Runbook;
  /** The cluster before it. */
  readonly before: SeenCluster;
  /** The cluster as it was whenever a process was ended, in order. */
  readonly between: readonly SeenCluster[];
  /** The cluster afterwards. */
  readonly after: SeenCluster;
  /** The journal. */
  readonly records: readonly JournalRecord[];
  /** The journal as it stands on the disk. */
  readonly journalText: string;
  /** What the processes told, in order. */
  readonly events: readonly RunEvent[];
  /** How it ended; absent when it broke off. */
  readonly report: RunReport | undefined;
  /** Values that must stand nowhere. */
  readonly secrets: readonly Uint8Array[];
  /** Files it has made. */
  readonly files: readonly SeenFile[];
  /** What was done to it. */
  readonly injected: readonly InjectedFault[];
  /** Moments at which no credential of the run opened some node, one line each; `undefined` when that was not looked at. */
  readonly shutOut: readonly string[] | undefined;
  /** Calls that changed something when the run was resumed after its end; `undefined` when it was not. */
  readonly callsAfterEnd: readonly SeenCall[] | undefined;
}
