/** What is known of a run that was rehearsed: what it says of itself, and what was so. */

import type { RunEvent, RunReport } from "../../runbooks/event.ts";
import type { JournalRecord } from "../../runbooks/journal/record.ts";
import type { Runbook } from "../../runbooks/runbook.ts";
import type { InjectedFault } from "../faults/fault.ts";
import type {
  ObservedCluster,
  ObservedNode,
  QuorumRecord,
  RecordedCall,
} from "../model/observed_state.ts";

/** A call that reached the cluster, or was to; its node is `kubernetes` for requests to Kubernetes. */
export type SeenCall = Omit<RecordedCall, "at">;

/** A node as it is: what invariants look at. */
export interface SeenNode extends
  Omit<
    ObservedNode,
    | "address"
    | "isOn"
    | "isReachable"
    | "bootId"
    | "installs"
    | "configuration"
    | "etcd"
  > {
  readonly etcd: Pick<ObservedNode["etcd"], "isRunning" | "members">;
}

/** How etcd stood from one moment on. */
export type SeenQuorum = Omit<QuorumRecord, "copies">;

/** A cluster as it is. */
export interface SeenCluster
  extends Omit<ObservedCluster, "nodes" | "quorum" | "calls"> {
  /** All nodes that ever were part. */
  readonly nodes: readonly SeenNode[];
  /** How etcd stood, from the start on; one for each change. */
  readonly quorum: readonly SeenQuorum[];
  readonly calls: readonly SeenCall[];
}

/** A file the run has made. */
export interface SeenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What is known of a run. */
export interface Evidence {
  readonly runbook: Runbook;
  readonly before: SeenCluster;
  /** The cluster as it was whenever a process was ended, in order. */
  readonly between: readonly SeenCluster[];
  readonly after: SeenCluster;
  readonly records: readonly JournalRecord[];
  /** The journal as it is on the disk. */
  readonly journalText: string;
  /** What the processes told, in order. */
  readonly events: readonly RunEvent[];
  /** How it ended; absent when it broke off. */
  readonly report: RunReport | undefined;
  /** Values that must stand nowhere. */
  readonly secrets: readonly Uint8Array[];
  readonly files: readonly SeenFile[];
  readonly injected: readonly InjectedFault[];
  /** Moments at which no credential of the run opened some node, one line each; `undefined` when that was not looked at. */
  readonly shutOut: readonly string[] | undefined;
  /** Calls that changed something when the run was resumed after its end; `undefined` when it was not. */
  readonly callsAfterEnd: readonly SeenCall[] | undefined;
}
