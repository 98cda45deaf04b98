/** One run against a simulated cluster: processes that may be killed, until one finishes. */

import { OsctlError } from "../../errors.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { RunEnd } from "../runbooks/engine/run.ts";
import type { EngineOptions } from "../runbooks/engine/engine_options.ts";
import type { RunEvent, RunReport } from "../runbooks/event.ts";
import { isResumable } from "../runbooks/store/run_condition.ts";
import type { JournalStore } from "../runbooks/journal/writer.ts";
import { RunHistory } from "../runbooks/journal/history.ts";
import type { Runbook } from "../runbooks/runbook.ts";
import type { Disk } from "./model_disk.ts";
import type { Evidence, SeenCall, SeenCluster } from "./invariants/evidence.ts";
import type { RehearsalFault } from "./faults/fault.ts";
import { FaultSchedule } from "./fault_schedule.ts";
import { type SimulatedProcess, startProcess } from "./simulated_process.ts";
import type { HeldClock } from "./pending_work.ts";
import type { EndFault } from "./model/inject_fault.ts";

/** Testbed of a rehearsal: a cluster, and the processes that run a runbook in it. */
export interface Testbed {
  readonly runbook: Runbook;
  readonly clock:
    & OperationClock
    & HeldClock
    & {
      /** Timeout clock; real-time work does not count. */
      readonly limit: OperationClock["sleep"];
      /** Advances time until some work is finished. */
      readonly run: <T>(work: () => Promise<T>) => Promise<T>;
    };
  readonly observe: () => SeenCluster;
  /** Resolves the name of a node, from its name or address. */
  readonly findName: (node: string) => string;
  /** Injects a fault into the cluster. */
  readonly strike: (fault: RehearsalFault) => Promise<EndFault>;
  /** Runs or resumes the runbook in one process. */
  readonly runProcess: (
    process: SimulatedProcess,
    disk: Disk,
    about: ProcessParts,
  ) => Promise<RunEnd>;
  /** Lists nodes that accept no credential on the disk; absent if not checked. */
  readonly shutOut?: (disk: Disk) => Promise<readonly string[]>;
}

/** Parameters of a process besides the disk. */
interface ProcessParts {
  readonly through: (store: JournalStore) => JournalStore;
  readonly emit: EngineOptions["emit"];
}

/** Outcome of a rehearsed run. */
export interface RehearsalOutcome extends Evidence {
  readonly problems: readonly string[];
  readonly calls: number;
  /** Duration in milliseconds of virtual time. */
  readonly virtualMs: number;
}

/** Timeout in milliseconds of virtual time. */
const longestMs = 7 * 24 * 3_600_000;

const mostProcesses = 50;

/**
 * Rehearses a run; a killed process is followed by another one.
 *
 * @param disk Disk of the processes, empty.
 * @param resumes How often an unsuccessful run is resumed; default never.
 */
export function rehearse(
  stage: Testbed,
  faults: readonly RehearsalFault[],
  disk: Disk,
  resumes = 0,
): Promise<RehearsalOutcome> {
  const { clock, strike, findName } = stage;
  const schedule = new FaultSchedule({
    faults,
    clock,
    strike,
    chooseName: findName,
  });
  return clock.run(() => rehearseOnce(stage, schedule, disk, resumes));
}

async function rehearseOnce(
  stage: Testbed,
  schedule: FaultSchedule,
  disk: Disk,
  resumes: number,
): Promise<RehearsalOutcome> {
  const { runbook, clock, observe } = stage;
  const before = observe();
  const startedAt = clock.now();
  const between: SeenCluster[] = [];
  const events: RunEvent[] = [];
  const watch = shutOutWatch(stage, disk);
  const through = (store: JournalStore) =>
    watch.through(schedule.through(disk.length)(store));
  const parts = { through, emit: recorder(clock, events, schedule.onEvent) };
  await schedule.begin();
  const problems: string[] = [];
  let end: RunEnd | undefined;
  let left = resumes;
  for (let count = 1; end === undefined && problems.length === 0; count++) {
    // Processes are sequential.
    const process = startProcess({
      clock,
      gate: schedule.gate,
      skewMs: () => schedule.skewMs,
    });
    schedule.take(process);
    const result = await untilProcessEnds(stage, {
      process,
      schedule,
      disk,
      parts,
    });
    const isOver = "end" in result ? !goesOn(result.end) : "outageMs" in result;
    if (!isOver && left-- > 0) continue;
    if ("end" in result) end = result.end;
    else if ("problem" in result) problems.push(result.problem);
    else {
      between.push(observe());
      await clock.sleep(result.outageMs);
      if (count === mostProcesses) {
        problems.push(`not finished after ${count} processes`);
      }
    }
  }
  schedule.end();
  const after = observe();
  const virtualMs = clock.now() - startedAt;
  const report = end && toReport(end);
  const again = end && !goesOn(end)
    ? await callsOfAnother(stage, disk)
    : undefined;
  return {
    runbook,
    before,
    between,
    after,
    records: await disk.records(),
    journalText: disk.journalText(),
    events,
    report,
    secrets: disk.secrets(),
    files: await disk.contents(),
    injected: schedule.injected(),
    shutOut: watch.found(),
    callsAfterEnd: again,
    problems,
    calls: schedule.calls,
    virtualMs,
  };
}

type ProcessEnd =
  | { readonly end: RunEnd }
  | { readonly problem: string }
  | { readonly outageMs: number };

async function untilProcessEnds(
  { clock, runProcess }: Testbed,
  { process, schedule, disk, parts }: {
    readonly process: SimulatedProcess;
    readonly schedule: FaultSchedule;
    readonly disk: Disk;
    readonly parts: ProcessParts;
  },
): Promise<ProcessEnd> {
  const over = new AbortController();
  const late = clock.limit(longestMs, over.signal).then((): ProcessEnd => ({
    problem: "not finished after a week",
  }));
  const killed = schedule.killed().then((outageMs): ProcessEnd => ({
    outageMs,
  }));
  const going = runProcess(process, disk, parts).then(
    (end): ProcessEnd => ({ end }),
    async (error): Promise<ProcessEnd> => {
      if (!(error instanceof OsctlError)) throw error;
      process.kill();
      return await schedule.diskBack()
        ? { outageMs: 0 }
        : { problem: `interrupted: ${error.message}` };
    },
  );
  try {
    return await Promise.race([going, killed, late]);
  } finally {
    // Its remaining work is killed, and does not affect the next process.
    process.kill();
    over.abort();
    await clock.hold(process.work.settled());
  }
}

/** Records events, in virtual time. */
function recorder(
  clock: OperationClock,
  events: RunEvent[],
  onEvent: EngineOptions["emit"],
): EngineOptions["emit"] {
  return (event) => {
    events.push({
      v: 1,
      seq: events.length + 1,
      ts: new Date(clock.now()).toISOString(),
      run: "rehearsal",
      ...event,
    });
    onEvent(event);
  };
}

/** Checks with each record whether the run can still access every node. */
function shutOutWatch({ shutOut }: Testbed, disk: Disk): {
  readonly through: (store: JournalStore) => JournalStore;
  readonly found: () => readonly string[] | undefined;
} {
  if (shutOut === undefined) {
    return { through: (store) => store, found: () => undefined };
  }
  const found: string[] = [];
  return {
    found: () => found,
    through: ({ write, sync }) => ({
      async write(bytes) {
        await write(bytes);
        for (const line of await shutOut(disk)) {
          found.push(`at record ${disk.length()}: ${line}`);
        }
      },
      sync,
    }),
  };
}

function goesOn({ state }: RunEnd): boolean {
  const history = { ...new RunHistory(), start: {}, end: { state } };
  return state !== "partial" && isResumable({ history });
}

function toReport(end: RunEnd): RunReport {
  return goesOn(end)
    ? { ...end, next: `osctl runbook resume ${end.run}` }
    : end;
}

/** Mutating calls of another process after the end of the run. */
async function callsOfAnother(
  stage: Testbed,
  disk: Disk,
): Promise<readonly SeenCall[]> {
  const known = stage.observe().calls.length;
  const process = startProcess({ clock: stage.clock });
  await stage.runProcess(process, disk.copy(), {
    through: (store) => store,
    emit: () => {},
  });
  process.kill();
  return stage.observe().calls.slice(known).filter(({ mutating, method }) =>
    // Each process acquires the cluster lock, and releases it.
    mutating && !method.includes("/leases")
  );
}
