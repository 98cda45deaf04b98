/** Buckets of a report: each target of a run is in exactly one. */

import type { NodeState, RunReport, TargetReport } from "../event.ts";

/** All states of a target, in display order. */
export const nodeStates = [
  "done",
  "recovered",
  "failed",
  "blocked",
  "skipped",
  "interrupted",
  "not-reached",
] as const satisfies readonly NodeState[];

/** States of nodes that failed, whether or not their rescue succeeded. */
export const failedStates: ReadonlySet<string> = new Set([
  "failed",
  "recovered",
  "blocked",
]);

/** Targets by state, in the order of the report; each state has a bucket. */
export type Buckets = Readonly<Record<NodeState, readonly TargetReport[]>>;

/** Report for programs: its targets in buckets. */
export interface ReportDocument extends Omit<RunReport, "targets"> {
  readonly buckets: Buckets;
}

/** Sorts the targets of a run into buckets. */
export function fillBuckets(targets: readonly TargetReport[]): Buckets {
  const of = (wanted: NodeState) =>
    targets.filter(({ state }) => state === wanted);
  return {
    done: of("done"),
    recovered: of("recovered"),
    failed: of("failed"),
    blocked: of("blocked"),
    skipped: of("skipped"),
    interrupted: of("interrupted"),
    "not-reached": of("not-reached"),
  };
}

/** Makes the report for programs. */
export function reportDocument(report: RunReport): ReportDocument {
  const { targets, ...rest } = report;
  return { ...rest, buckets: fillBuckets(targets) };
}
