/** What a rehearsal has found: runs against simulated nodes, what was done to them, and what held. */

import type { InjectedFault } from "./faults/fault.ts";
import type { RunEvent, RunReport } from "../runbooks/event.ts";
import {
  type InvariantId,
  invariantIds,
  type InvariantResult,
} from "./invariants/invariant.ts";

/** What a rehearsal has found. */
export interface RehearsalReport {
  readonly v: 1;
  readonly runbook: string;
  /** Simulated cluster, as it was asked for: `sim:3cp+5w,v1.13.4`. */
  readonly cluster: string;
  readonly seed: number;
  /** When the rehearsal began, ISO 8601. */
  readonly madeAt: string;
  /** How long it took in real time, in milliseconds. */
  readonly tookMs: number;
  /** The runs, in the order they were made. */
  readonly runs: readonly RehearsedRun[];
}

/** One run against simulated nodes, resumed until it ended. */
export interface RehearsedRun {
  /** Unique among the runs: `clean`, `kill @ record 57`. */
  readonly name: string;
  readonly faults: readonly InjectedFault[];
  /** Its events in virtual time, those of every process that went on with it; empty when they were not kept. */
  readonly events: readonly RunEvent[];
  /** How it ended; absent when it broke off. */
  readonly report?: RunReport;
  /** What must hold, each once. */
  readonly invariants: readonly InvariantResult[];
  /** What else is not as it was expected: `status 1 instead of 0`. */
  readonly problems: readonly string[];
  /** How long it took in virtual time, in milliseconds. */
  readonly virtualMs: number;
  /** Command that makes this run again, alone. */
  readonly again?: string;
}

interface InvariantTally {
  readonly id: InvariantId;
  readonly held: number;
  readonly violated: number;
  /** Runs that say nothing of it. */
  readonly unchecked: number;
}

/** Reports whether a run was as it should be. */
export function isGood({ invariants, problems }: RehearsedRun): boolean {
  return problems.length === 0 &&
    invariants.every(({ state }) => state !== "violated");
}

/** Counts how often each invariant held; a run that does not name it says nothing of it. */
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

/** A rehearsal for programs: without events, with the counts. */
interface RehearsalDocument extends Omit<RehearsalReport, "runs"> {
  /** True when every run was as it should be. */
  readonly good: boolean;
  /** How often each invariant held. */
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
