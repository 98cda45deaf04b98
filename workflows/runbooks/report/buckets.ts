/** The buckets of a report: every target of a run in exactly one of them. */

import type { NodeState, RunReport, TargetReport } from "../event.ts";

/** Every state of a target, in the order people read them. */
export const nodeStates = [
  "done",
  "recovered",
  "failed",
  "blocked",
  "skipped",
  "not-reached",
] as const satisfies readonly NodeState[];

/** Targets by what became of them, in the order of the report; every state is there. */
export type Buckets = Readonly<Record<NodeState, readonly TargetReport[]>>;

/** A report for programs: its targets in buckets. */
export interface ReportDocument extends Omit<RunReport, "targets"> {
  readonly buckets: Buckets;
}

/** Puts the targets of a run into their buckets. */
export function fillBuckets(targets: readonly TargetReport[]): Buckets {
  const of = (wanted: NodeState) =>
    targets.filter(({ state }) => state === wanted);
  return {
    done: of("done"),
    recovered: of("recovered"),
    failed: of("failed"),
    blocked: of("blocked"),
    skipped: of("skipped"),
    "not-reached": of("not-reached"),
  };
}

/** Makes the report for programs. */
export function reportDocument(report: RunReport): ReportDocument {
  const { targets, ...rest } = report;
  return { ...rest, buckets: fillBuckets(targets) };
}
