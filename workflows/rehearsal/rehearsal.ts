/** A whole rehearsal: the run as it is asked for, and all cases of its matrices. */

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

/** A stage for one run, with a disk. */
export interface OpenTestbed extends AsyncDisposable {
  readonly stage: Testbed;
  /** An empty disk. */
  readonly disk: Disk;
}

/** How a run is expected to end. */
export interface RehearsalExpectation {
  readonly status?: number;
  /** Names of nodes by what became of them. */
  readonly buckets?: Readonly<Record<string, readonly string[]>>;
}

/** What is rehearsed. */
export interface RehearsalOptions {
  readonly runbook: Runbook;
  readonly cluster: ModelClusterSpec;
  readonly open: (cluster: ModelClusterSpec) => Promise<OpenTestbed>;
  /** Faults of every run, as they are written. */
  readonly faults: readonly string[];
  readonly matrices: readonly Matrix[];
  /** Invariants that are checked. */
  readonly invariants: ReadonlySet<InvariantId>;
  /** Seed of the random generator. */
  readonly seed: number;
  /** Most cases of each matrix; 0 for all. */
  readonly most: number;
  /** Which share of the cases is tried; default all of them. */
  readonly part?: MatrixPart;
  /** How the first run is expected to end; default with status 0 where nothing is made to go wrong, else however it does. */
  readonly expect?: RehearsalExpectation;
  /** Command that makes a run again. */
  readonly again: (
    faults: readonly string[],
    cluster: ModelClusterSpec,
  ) => string;
  readonly now: () => Date;
  readonly report: (run: RehearsedRun, done: number, total: number) => void;
  /** Ends it behind the run that continues. */
  readonly signal: AbortSignal;
}

/** How the run without the faults of a matrix ended. */
interface Clean {
  readonly state: RunReport["state"] | undefined;
  readonly end: readonly string[];
}

/**
 * Rehearses a runbook: once, and then each case of the matrices, one after the other.
 *
 * @throws {ConfigError} If a fault cannot be read, or is about nothing there.
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
  const runs = [expected(first.run, options.expect ?? usual)];
  const clean: Clean = {
    state: rehearsed.report?.state,
    end: endState(rehearsed.after),
  };
  const cases = listCases({
    ...options,
    records: listKinds(rehearsed),
    calls: rehearsed.calls,
  });
  report(runs[0]!, 1, cases.length + 1); // it was put there
  for (const case_ of cases) {
    if (signal.aborted) break;
    // One after the other: each has a process's worth of memory.
    const { run } = await one(options, case_, clean);
    // Events of good runs would fill the memory.
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

/** Kind, step, and role of the node, of each record. */
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
  // A person resumes at least once.
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
    ...(report === undefined ? {} : { report }),
    invariants: await checkInvariants(rehearsed, options.invariants),
    problems: [...problems, ...wrong, ...wrongRescue(report, case_.faults)],
    virtualMs,
    again: options.again(faults, cluster),
  };
  return { run, rehearsed };
}

/**
 * What failed in `rescue` or `always`. What a matrix makes go wrong may hit these, too; an expression without a value
 * is wrong in any case.
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

/** How a run that should end like the one without faults does not. */
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

function expected(
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
 * Says how a cluster is: the same text for clusters that are the same but for names of certificates.
 *
 * @returns One line for each node.
 */
export function endState({ nodes }: SeenCluster): readonly string[] {
  const known = new Map<string, string>();
  // New CAs differ with every run, and who has the same does not.
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

/** Reports how two clusters differ. Returns one line for each node that differs. */
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
