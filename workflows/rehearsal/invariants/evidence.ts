/** Evidence of a rehearsed run: its own records, and the actual state. */

import type { RunEvent, RunReport } from "../../runbooks/event.ts";
import type { JournalRecord } from "../../runbooks/journal/record.ts";
import type { Runbook } from "../../runbooks/runbook.ts";
import type { InjectedFault } from "../faults/fault.ts";
import type {
  ObservedCluster,
  ObservedNode,
  QuorumRecord,
} from "../model/observed_state.ts";

/** A call that reached the cluster, or should have; its node is `kubernetes` for requests to Kubernetes. */
export type SeenCall = Omit<ObservedCluster["calls"][number], "at">;

/** Actual state of a node, as far as invariants need it. */
export interface SeenNode extends
  Omit<
    ObservedNode,
    | "isOn"
    | "isReachable"
    | "bootId"
    | "installs"
    | "configuration"
    | "etcd"
  > {
  readonly etcd: Pick<
    ObservedNode["etcd"],
    "isRunning" | "members" | "hasData"
  >;
}

/** State of etcd from one moment on. */
export type SeenQuorum = Omit<QuorumRecord, "copies">;

/** Actual state of a cluster. */
export interface SeenCluster
  extends Omit<ObservedCluster, "nodes" | "quorum" | "calls"> {
  /** All nodes, past and present. */
  readonly nodes: readonly SeenNode[];
  /** States of etcd since the start; one for each change. */
  readonly quorum: readonly SeenQuorum[];
  readonly calls: readonly SeenCall[];
}

/** A file that the run has written. */
export interface SeenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Evidence of a run. */
export interface Evidence {
  readonly runbook: Runbook;
  readonly before: SeenCluster;
  /** State of the cluster each time a process ended, in order. */
  readonly between: readonly SeenCluster[];
  readonly after: SeenCluster;
  readonly records: readonly JournalRecord[];
  readonly journalText: string;
  /** Events of all processes, in order. */
  readonly events: readonly RunEvent[];
  /** Report of the run; absent if it was interrupted. */
  readonly report: RunReport | undefined;
  /** Values that must not appear anywhere. */
  readonly secrets: readonly Uint8Array[];
  readonly files: readonly SeenFile[];
  readonly injected: readonly InjectedFault[];
  /** Moments at which some node accepted no credential of the run, one line each; `undefined` if not checked. */
  readonly shutOut: readonly string[] | undefined;
  /** Mutating calls of a resume after the end of the run; `undefined` if it was not resumed. */
  readonly callsAfterEnd: readonly SeenCall[] | undefined;
}
