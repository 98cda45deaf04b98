/** One run against a simulated cluster: processes that may die, until one comes to an end. */

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
import { makeSchedule, type Schedule } from "./fault_schedule.ts";
import { type SimulatedProcess, startProcess } from "./simulated_process.ts";
import type { HeldClock } from "./pending_work.ts";
import type { EndFault } from "./model/inject_fault.ts";

/** Where a run is rehearsed: a cluster, and what carries a runbook out in it. */
export interface Testbed {
  readonly runbook: Runbook;
  readonly clock:
    & OperationClock
    & HeldClock
    & {
      /** Waits for what must not last that long; slow work is not taken for it. */
      readonly limit: OperationClock["sleep"];
      /** Lets time continue until some work has ended. */
      readonly run: <T>(work: () => Promise<T>) => Promise<T>;
    };
  readonly observe: () => SeenCluster;
  /** Name of a node, by name or address. */
  readonly nameOf: (node: string) => string;
  /** Does to the cluster what a fault says. */
  readonly strike: (fault: RehearsalFault) => Promise<EndFault>;
  /** Runs the runbook, or resumes it, in one process. */
  readonly process: (
    life: SimulatedProcess,
    disk: Disk,
    about: ProcessParts,
  ) => Promise<RunEnd>;
  /** Looks which nodes nothing on the disk opens; absent where that is of no interest. */
  readonly shutOut?: (disk: Disk) => Promise<readonly string[]>;
}

/** What a process is given beside its life and its disk. */
interface ProcessParts {
  /** Stands between it and its journal. */
  readonly through: (store: JournalStore) => JournalStore;
  readonly emit: EngineOptions["emit"];
}

/** What became of a run. */
export interface RehearsalOutcome extends Evidence {
  /** What went wrong with the rehearsal itself. */
  readonly problems: readonly string[];
  /** Number of calls of its processes. */
  readonly calls: number;
  /** How long it took, in milliseconds of the cluster's time. */
  readonly virtualMs: number;
}

/** Longest time, in milliseconds of the cluster's time. */
const longestMs = 7 * 24 * 3_600_000;

const mostProcesses = 50;

/**
 * Rehearses a run; a process that is killed is followed by another one.
 *
 * @param disk Disk of the processes, empty.
 * @param resumes How often a run that ended without success is resumed; default never.
 */
export function rehearse(
  stage: Testbed,
  faults: readonly RehearsalFault[],
  disk: Disk,
  resumes = 0,
): Promise<RehearsalOutcome> {
  const { clock, strike, nameOf } = stage;
  const schedule = makeSchedule({ faults, clock, strike, nameOf });
  return clock.run(() => rehearsed(stage, schedule, disk, resumes));
}

async function rehearsed(
  stage: Testbed,
  schedule: Schedule,
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
    // A process follows the one before.
    const life = startProcess({ clock, ...schedule });
    schedule.take(life);
    const result = await ended(stage, { life, schedule, disk, parts });
    const isOver = "end" in result ? !goesOn(result.end) : "outageMs" in result;
    if (!isOver && left-- > 0) {
      // Whoever resumes a run that could reach no node lets the nodes boot first.
      if ("problem" in result) await clock.sleep(bootMs);
      continue;
    }
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
    calls: schedule.calls(),
    virtualMs,
  };
}

type ProcessEnd =
  | { readonly end: RunEnd }
  | { readonly problem: string }
  | { readonly outageMs: number };

async function ended(
  { clock, process }: Testbed,
  { life, schedule, disk, parts }: {
    readonly life: SimulatedProcess;
    readonly schedule: Schedule;
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
  const going = process(life, disk, parts).then(
    (end): ProcessEnd => ({ end }),
    async (error): Promise<ProcessEnd> => {
      if (!(error instanceof OsctlError)) throw error;
      life.kill();
      return await schedule.diskBack()
        ? { outageMs: 0 }
        : { problem: `interrupted: ${error.message}` };
    },
  );
  try {
    return await Promise.race([going, killed, late]);
  } finally {
    // Whatever it has left in progress ends with it, and does not reach into the next one.
    life.kill();
    over.abort();
    await clock.hold(life.work.settled());
  }
}

/** How long an operator waits before resuming a run that reached no node, in milliseconds. */
const bootMs = 60_000;

/** Writes down what is reported, in the cluster's time. */
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

/** Looks with each record whether the run can still reach every node. */
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

/** What another process would change after the end. */
async function callsOfAnother(
  stage: Testbed,
  disk: Disk,
): Promise<readonly SeenCall[]> {
  const known = stage.observe().calls.length;
  const life = startProcess({ clock: stage.clock });
  await stage.process(life, disk.copy(), {
    through: (store) => store,
    emit: () => {},
  });
  life.kill();
  return stage.observe().calls.slice(known).filter(({ mutating, method }) =>
    // Each process takes the lock on the cluster, and gives it back.
    mutating && !method.includes("/leases")
  );
}
