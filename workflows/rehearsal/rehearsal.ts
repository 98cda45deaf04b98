/** A rehearsal: the run itself, and all cases of its matrices. */

import type { Runbook } from "../runbooks/runbook.ts";
import type { RunReport } from "../runbooks/event.ts";
import { clusterSpecText, type ModelClusterSpec } from "./cluster_shape.ts";
import type { Disk } from "./model_disk.ts";
import { parseFault } from "./faults/parse_fault.ts";
import { checkInvariants } from "./invariants/all.ts";
import {
  listCases,
  type Matrix,
  type MatrixCase,
  type MatrixPart,
} from "./matrix.ts";
import { type RehearsalOutcome, rehearse, type Testbed } from "./rehearse.ts";
import {
  isGood,
  type RehearsalReport,
  type RehearsedRun,
} from "./rehearsal_report.ts";
import type { InvariantId } from "./invariants/invariant.ts";
import type { SeenCluster, SeenNode } from "./invariants/evidence.ts";

/** An open testbed for one run, with a disk. */
export interface OpenTestbed extends AsyncDisposable {
  readonly stage: Testbed;
  /** An empty disk. */
  readonly disk: Disk;
}

/** Expected result of a run. */
export interface RehearsalExpectation {
  readonly status?: number;
  /** Names of nodes by their state. */
  readonly buckets?: Readonly<Record<string, readonly string[]>>;
}

/** Options of a rehearsal. */
export interface RehearsalOptions {
  readonly runbook: Runbook;
  readonly cluster: ModelClusterSpec;
  readonly open: (cluster: ModelClusterSpec) => Promise<OpenTestbed>;
  /** Faults of every run, in their notation. */
  readonly faults: readonly string[];
  readonly matrices: readonly Matrix[];
  readonly invariants: ReadonlySet<InvariantId>;
  /** Seed of the random generator. */
  readonly seed: number;
  /** Maximum number of cases of each matrix; 0 for all. */
  readonly most: number;
  /** Part of the cases to run; default all. */
  readonly part?: MatrixPart;
  /** Expected result of the first run; default status 0 without faults, else any. */
  readonly expect?: RehearsalExpectation;
  /** Command that repeats a run. */
  readonly again: (
    faults: readonly string[],
    cluster: ModelClusterSpec,
  ) => string;
  readonly now: () => Date;
  readonly report: (run: RehearsedRun, done: number, total: number) => void;
  /** Stops after the current run. */
  readonly signal: AbortSignal;
}

/** Result of the run without the faults of a matrix. */
interface Clean {
  readonly state: RunReport["state"] | undefined;
  readonly end: readonly string[];
}

/**
 * Rehearses a runbook: once, and then each case of the matrices, one at a time.
 *
 * @throws {ConfigError} If a fault is invalid, or its target does not exist.
 */
export async function rehearseAll(
  options: RehearsalOptions,
): Promise<RehearsalReport> {
  const { runbook, cluster, seed, now, report, signal } = options;
  const startedAt = now();
  const first = await one(options, {
    name: options.matrices.length === 0 ? "as requested" : "clean",
    faults: [],
    same: false,
  });
  const { rehearsed } = first;
  const usual = options.faults.length === 0 ? { status: 0 } : {};
  const runs = [checkExpected(first.run, options.expect ?? usual)];
  const clean: Clean = {
    state: rehearsed.report?.state,
    end: endState(rehearsed.after),
  };
  const cases = listCases({
    ...options,
    records: listKinds(rehearsed),
    calls: rehearsed.calls,
  });
  report(runs[0]!, 1, cases.length + 1); // added above
  for (const case_ of cases) {
    if (signal.aborted) break;
    // Sequential: each needs the memory of a process.
    const { run } = await one(options, case_, clean);
    // Events of good runs would use too much memory.
    runs.push(isGood(run) ? { ...run, events: [] } : run);
    report(run, runs.length, cases.length + 1);
  }
  return {
    v: 1,
    runbook: runbook.name,
    cluster: clusterSpecText(cluster),
    seed,
    madeAt: startedAt.toISOString(),
    tookMs: now().getTime() - startedAt.getTime(),
    runs,
  };
}

/** Kind, step and node role of each record. */
function listKinds({ records, before }: RehearsalOutcome): readonly string[] {
  const roles = new Map(before.nodes.map(({ name, role }) => [name, role]));
  return records.map(({ type, path = "", node = "" }) =>
    `${type} ${path} ${roles.get(node) ?? ""}`
  );
}

async function one(
  options: RehearsalOptions,
  case_: MatrixCase,
  clean?: Clean,
): Promise<
  { readonly run: RehearsedRun; readonly rehearsed: RehearsalOutcome }
> {
  const { cluster = options.cluster, name, same } = case_;
  const faults = [...options.faults, ...case_.faults];
  await using opened = await options.open(cluster);
  const { stage, disk } = opened;
  // An operator resumes at least once.
  const resumes = same ? 1 : 0;
  const rehearsed = await rehearse(
    stage,
    faults.map(parseFault),
    disk,
    resumes,
  );
  const { report, events, injected, problems, virtualMs } = rehearsed;
  const wrong = same && clean !== undefined ? unlike(rehearsed, clean) : [];
  const run: RehearsedRun = {
    name,
    faults: injected,
    events,
    report,
    invariants: await checkInvariants(rehearsed, options.invariants),
    problems: [...problems, ...wrong, ...wrongRescue(report, case_.faults)],
    virtualMs,
    again: options.again(faults, cluster),
  };
  return { run, rehearsed };
}

/**
 * Failures in `rescue` or `always`. Faults of a matrix may affect these, too; but an expression without a value is
 * always an error.
 */
function wrongRescue(
  report: RehearsalOutcome["report"],
  byMatrix: readonly string[],
): readonly string[] {
  const { cleanup = [] } = report ?? {};
  return cleanup
    .filter(({ code }) => byMatrix.length === 0 || code === "invalid")
    .map(({ part, step, node, code }) =>
      `${part} failed: ${code} in ${step}${
        node === undefined ? "" : ` on ${node}`
      }`
    );
}

/** Differences from the expected result: that of the run without faults. */
function unlike(
  { report, after }: RehearsalOutcome,
  { state, end }: Clean,
): readonly string[] {
  if (report === undefined) return [];
  if (report.state !== state) {
    const why = report.failure === undefined
      ? ""
      : `: ${report.failure.code} in ${report.failure.step}, ${report.failure.message}`;
    return [`ended ${report.state} instead of ${state}${why}`];
  }
  return differences(end, endState(after));
}

function checkExpected(
  run: RehearsedRun,
  { status, buckets = {} }: RehearsalExpectation = {},
): RehearsedRun {
  const { report } = run;
  const problems = [...run.problems];
  if (status !== undefined && report?.status !== status) {
    problems.push(
      `status ${report?.status ?? "none"} instead of ${status}`,
    );
  }
  for (const [state, names] of Object.entries(buckets)) {
    const found = report?.targets.flatMap((target) =>
      target.state === state ? [target.node] : []
    ) ?? [];
    const there = [...new Set(found)].toSorted().join(", ");
    const wanted = names.toSorted().join(", ");
    if (there !== wanted) {
      problems.push(
        `${state}: ${there || "none"} instead of ${wanted || "none"}`,
      );
    }
  }
  return { ...run, problems };
}

/**
 * Describes a cluster: equal texts for clusters that only differ in names of certificates.
 *
 * @returns One line for each node.
 */
export function endState({ nodes }: SeenCluster): readonly string[] {
  const known = new Map<string, string>();
  // New CAs differ in every run, but the nodes that share one do not.
  const named = (fingerprint: string) => {
    if (fingerprint === "") return "-";
    const name = known.get(fingerprint) ?? `ca${known.size + 1}`;
    known.set(fingerprint, name);
    return name;
  };
  return nodes.filter(({ isPart }) => isPart).map((node) =>
    formatLine(node, named)
  );
}

function formatLine(
  { name, version, nextVersion, isReady, isCordoned, trust, etcd }: SeenNode,
  named: (fingerprint: string) => string,
): string {
  const { issuer, accepted, kubernetesIssuer, kubernetesAccepted } = trust;
  const os = [issuer, ...accepted].map(named);
  const kubernetes = [kubernetesIssuer, ...kubernetesAccepted].map(named);
  return [
    name,
    `runs ${version}`,
    `starts ${nextVersion}`,
    isReady ? "ready" : "not ready",
    isCordoned ? "cordoned" : "open",
    `trusts ${os.join("+")}`,
    `in Kubernetes ${kubernetes.join("+")}`,
    etcd.isRunning
      ? `etcd with ${etcd.members.toSorted().join("+")}`
      : "no etcd",
  ].join(", ");
}

/** Compares two clusters. Returns one line for each node that differs. */
export function differences(
  expected: readonly string[],
  found: readonly string[],
): readonly string[] {
  const wanted = new Set(expected);
  const there = new Set(found);
  return [
    ...found.filter((line) => !wanted.has(line)).map((line) =>
      `actual: ${line}`
    ),
    ...expected.filter((line) => !there.has(line))
      .map((line) => `expected: ${line}`),
  ];
}
