import { maskError, maskValue } from "../../../lib/masker.ts";
import {
  ConfigError,
  type ExitStatus,
  exitStatus,
  OutcomeError,
  StoppedError,
} from "../../../errors.ts";
import type { RunEvent, RunReport } from "../event.ts";
import { isResumable } from "../store/run_condition.ts";
import { runEndings } from "../report/report_text.ts";
import { type RunRow, watchRun } from "../report/watch_run.ts";
import { eventsPath, openEventFile, readEvents } from "../store/event_file.ts";
import { makeApprovals } from "./approvals.ts";
import { type EventFeed, makeEventFeed } from "./event_feed.ts";
import type { OutputFiles } from "./output_files.ts";
import { attendInbox } from "./read_inbox.ts";
import { type ActiveRun, runEngine } from "./run_engine.ts";
import type { RunSession, RunSettings } from "./run_session.ts";
import { type StopRequests, stopRequests } from "./stop_requests.ts";

/**
 * Executes a run until it stops or finishes.
 *
 * @returns The same as {@linkcode watchRun}.
 * @throws {CancelledError} If a signal has already arrived; nothing was started.
 * @throws {OutcomeError} With the exit status of the run, unless it is 0.
 */
export async function* executeRun(
  session: RunSession,
  options: RunSettings,
  active: ActiveRun,
  files: OutputFiles,
): AsyncGenerator<RunRow> {
  const { environment } = session;
  const { run, vault, operator } = active;
  const { id } = run.header;
  const { mask } = vault.masker;
  const note = (text: string) => session.note(mask(text));
  // Only its JUnit report needs what earlier processes did.
  const earlier = files.junitFile === undefined
    ? []
    : await readEarlier(run.folder, note);
  await using eventFile = await openEventFile(run.folder, note);
  const feed = makeEventFeed({
    run: id,
    now: environment.now,
    mask,
    take: (event) => void eventFile.add(event),
  });
  using stop = stopRequests({
    graceMs: options.grace,
    detach: options.detach,
    requested(reason) {
      const waiting = [...feed.inside()].map(([node, until]) => ({
        node,
        until,
      }));
      feed.emit({ type: "run.stopping", data: { reason, waiting } });
      // Requests of other processes were recorded on arrival.
      if (reason === fromElsewhere) return;
      const d = { hard: false, by: operator, reason };
      // An unwritable journal ends the run by itself.
      run.journal.append({ type: "stop", data: d }).catch(() => {});
    },
  });
  listen(session, stop);
  const running = attendRun(session, options, active, feed, stop);
  const ended = running.then((end) => maskValue(withNext(end, active), mask));
  // The error is thrown where the report is awaited.
  ended.catch(() => {});
  let isLeft = true;
  try {
    yield* watchRun({ events: feed.events, report: () => ended }, {
      ...files,
      earlier,
      format: options.output,
      startedAt: run.history.startedAt,
      note,
      environment,
      asks: environment.stdin.terminal,
      reports: environment.stdout.terminal && options.output.kind === "table",
    });
    isLeft = false;
  } catch (error) {
    isLeft = false;
    throw maskError(error, mask);
  } finally {
    feed.left();
    await ended.catch(() => {});
    // A reader may stop early; the result of the run still counts.
    if (isLeft) await conclude(note);
  }
  await conclude();

  /** Turns the result of the run into that of the command; prints a note where it was not shown. */
  async function conclude(note?: (text: string) => void): Promise<void> {
    const report = await ended.catch((error) => {
      throw maskError(error, mask);
    });
    const { state, status, failure, targets } = report;
    note?.(`Run "${id}" has ended: ${state}`);
    const shown = stop.abandoned() ?? status;
    if (shown === exitStatus.ok) return;
    // Reports contain only statuses of the table.
    const denied = [failure, ...targets].some((one) =>
      one?.code === "permission"
    );
    const reason = runEndings[state];
    const isStopped = state === "stopped" || state === "interrupted";
    const Reported = isStopped ? StoppedError : OutcomeError;
    throw new Reported(state, reason, shown as ExitStatus, {
      message: `Run "${id}" ${reason}`,
      // Reported like a call, with the role of the caller.
      code: denied ? "PERMISSION_DENIED" : undefined,
    });
  }
}

/** Reads the events of earlier processes; unreadable ones do not stop the run. */
async function readEarlier(
  folder: string,
  note: (text: string) => void,
): Promise<readonly RunEvent[]> {
  try {
    return await Array.fromAsync(readEvents(eventsPath(folder)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(`warning: earlier steps are not in the report: ${error.message}`);
    return [];
  }
}

/** Listens to signals where supported, else to the interrupt of the command. */
function listen(
  { claimSignals, signal }: RunSession,
  { signalled }: StopRequests,
): void {
  // Earlier signals are not delivered again.
  signal.throwIfAborted();
  claimSignals?.(signalled);
  signal.addEventListener("abort", () => signalled("SIGINT"), { once: true });
}

/** Reason of a stop request from the inbox. */
const fromElsewhere = "stop";

/** Runs the engine, and reads the inbox meanwhile. */
async function attendRun(
  { environment }: RunSession,
  options: RunSettings,
  active: ActiveRun,
  feed: EventFeed,
  stop: StopRequests,
): Promise<RunReport> {
  const { run, operator } = active;
  const { emit } = feed;
  const note = (message: string) => emit({ type: "note", data: { message } });
  const approvals = makeApprovals({
    given: options,
    environment,
    operator,
    note,
    waits: async ({ tag }) => {
      const data = { reason: `approval ${tag}`, for: "approval" };
      emit({ type: "run.waiting", data });
      // Readers of a JSON Lines stream may be slow.
      if (options.output.kind !== "jsonl") await feed.taken();
    },
  });
  const ended = new AbortController();
  const looked = Promise.withResolvers<void>();
  const inbox = attendInbox({
    folder: run.folder,
    runbook: run.runbook,
    journal: run.journal,
    history: run.history,
    answer: approvals.take,
    stop: ({ hard }) => stop.request(fromElsewhere, hard),
    note,
    now: environment.now,
    looked: looked.resolve,
    signal: ended.signal,
  }).catch((error) => {
    looked.reject(error);
    note(`No longer reading messages to the run: ${error}`);
  });
  try {
    // Decisions from the inbox apply before the first step.
    await looked.promise;
    const { parallel } = options;
    return await runEngine(active, {
      emit,
      stop,
      ask: approvals.ask,
      parallel,
    });
  } finally {
    feed.end();
    ended.abort();
    await inbox;
  }
}

function withNext(end: RunReport, { next }: ActiveRun): RunReport {
  const resumable = isResumable({ history: { end } });
  return resumable ? { ...end, next } : end;
}
