/** Report of a rehearsal: runs against simulated nodes, injected faults, and invariants. */

import type { InjectedFault } from "./faults/fault.ts";
import type { RunEvent, RunReport } from "../runbooks/event.ts";
import {
  type InvariantId,
  invariantIds,
  type InvariantResult,
} from "./invariants/invariant.ts";

/** Report of a rehearsal. */
export interface RehearsalReport {
  readonly v: 1;
  readonly runbook: string;
  /** Simulated cluster, as requested: `sim:3cp+5w,v1.13.4`. */
  readonly cluster: string;
  readonly seed: number;
  /** Start of the rehearsal, ISO 8601. */
  readonly madeAt: string;
  /** Duration in real time, in milliseconds. */
  readonly tookMs: number;
  /** The runs, in order. */
  readonly runs: readonly RehearsedRun[];
}

/** One run against simulated nodes, resumed until it finished. */
export interface RehearsedRun {
  /** Unique among the runs: `clean`, `kill @ record 57`. */
  readonly name: string;
  readonly faults: readonly InjectedFault[];
  /** Its events in virtual time, of all its processes; empty if not kept. */
  readonly events: readonly RunEvent[];
  /** Report of the run; absent if it was interrupted. */
  readonly report?: RunReport;
  readonly invariants: readonly InvariantResult[];
  /** Other differences from the expectation: `status 1 instead of 0`. */
  readonly problems: readonly string[];
  /** Duration in virtual time, in milliseconds. */
  readonly virtualMs: number;
  /** Command that repeats this run alone. */
  readonly again?: string;
}

interface InvariantTally {
  readonly id: InvariantId;
  readonly held: number;
  readonly violated: number;
  /** Number of runs in which it was not checked. */
  readonly unchecked: number;
}

/** Reports whether a run was as expected. */
export function isGood({ invariants, problems }: RehearsedRun): boolean {
  return problems.length === 0 &&
    invariants.every(({ state }) => state !== "violated");
}

/** Counts how often each invariant held; runs that do not list it count as unchecked. */
export function tally(
  runs: readonly RehearsedRun[],
): readonly InvariantTally[] {
  return invariantIds.map((id) => {
    const states = runs.map(({ invariants }) =>
      invariants.find((one) => one.id === id)?.state ?? "unchecked"
    );
    const of = (wanted: InvariantResult["state"]) =>
      states.filter((state) => state === wanted).length;
    return {
      id,
      held: of("held"),
      violated: of("violated"),
      unchecked: of("unchecked"),
    };
  });
}

/** Rehearsal report for programs: without events, with the counts. */
interface RehearsalDocument extends Omit<RehearsalReport, "runs"> {
  /** True when every run was as expected. */
  readonly good: boolean;
  readonly invariants: readonly InvariantTally[];
  readonly runs: readonly Omit<RehearsedRun, "events">[];
}

/** Makes the report for programs. */
export function rehearsalDocument(report: RehearsalReport): RehearsalDocument {
  return {
    ...report,
    good: report.runs.every(isGood),
    invariants: tally(report.runs),
    runs: report.runs.map(({ events: _, ...run }) => run),
  };
}
