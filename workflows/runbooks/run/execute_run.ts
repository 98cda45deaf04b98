/** Carrying a run out, from the engine to the screen. */

import { maskError, maskValue } from "../../../config/masker.ts";
import { type ExitStatus, exitStatus, OutcomeError } from "../../../errors.ts";
import type { RunReport } from "../event.ts";
import { canGoOn } from "../lock/local_lock.ts";
import { attendInbox } from "./read_inbox.ts";
import { openEventFile } from "../store/event_file.ts";
import type { Context } from "../../../commands/_kit/command.ts";
import type { Format } from "../../../commands/_kit/mod.ts";
import { type RunRow, watchRun } from "../report/watch_run.ts";
import { makeAnswers } from "./approvals.ts";
import { type Carried, conducted, type Conducting } from "./locked_run.ts";
import { type Feed, makeFeed } from "./event_feed.ts";
import type { OutputFiles } from "./output_files.ts";
import type { RunFlags } from "../../../commands/runbook/_flags/run_flags.ts";
import { stopping } from "./stop_requests.ts";

/** What carries runs out. */
export type CarryContext = Context<
  RunFlags & {
    /** `--output`. */
    readonly output: Format;
  }
>;

/**
 * Carries a run out until it ends, for now or for good.
 *
 * @param context Flags and environment.
 * @param carried The run.
 * @param files Files that were asked for.
 * @returns What {@linkcode watchRun} does.
 * @throws {CancelledError} If a signal has come already; nothing was begun.
 * @throws {OutcomeError} With the exit status of the run, unless it is 0.
 */
export async function* carryOut(
  context: CarryContext,
  carried: Carried,
  files: OutputFiles,
): AsyncGenerator<RunRow> {
  const { input: flags, environment } = context;
  const { run, vault } = carried;
  const { id } = run.header;
  const { mask } = vault.masker;
  const note = (text: string) => context.note(mask(text));
  await using eventFile = await openEventFile(run.folder, note);
  const feed = makeFeed({
    run: id,
    now: environment.now,
    mask,
    take: (event) => void eventFile.add(event),
  });
  using stop = stopping({
    graceMs: flags.grace,
    detach: flags.detach,
    begun(why) {
      tellStopping(feed, why);
      writeStopping(carried, why);
    },
  });
  listen(context, stop);
  const running = attended({ ...context, note }, carried, { feed, stop });
  const ended = running.then((end) => maskValue(reportOf(end, carried), mask));
  // It is told where the report is asked for.
  ended.catch(() => {});
  let isLeft = true;
  try {
    yield* watchRun({ events: feed.events, report: () => ended }, {
      ...files,
      format: flags.output,
      note,
      environment,
    });
    isLeft = false;
  } catch (error) {
    isLeft = false;
    throw maskError(error, mask);
  } finally {
    feed.left();
    await ended.catch(() => {});
    // Whoever leaves early only stops watching: how it ends counts all the same.
    if (isLeft) await concluded(ended, { id, mask, note, stop });
  }
  await concluded(ended, { id, mask, stop });
}

/** What the end of a run is told with. */
interface Concluding extends Pick<Conducting, "stop"> {
  readonly id: string;
  readonly mask: (text: string) => string;
  /** Given where nobody saw the end. */
  readonly note?: (text: string) => void;
}

/** Turns the end of a run into that of the command. */
async function concluded(
  ended: Promise<RunReport>,
  { id, mask, note, stop }: Concluding,
): Promise<void> {
  const report = await ended.catch((error) => {
    throw maskError(error, mask);
  });
  note?.(`Run "${id}" has ended: ${report.state}`);
  const status = stop.abandoned() ?? report.status;
  if (status !== exitStatus.ok) {
    // Only statuses of the table are in reports.
    throw new OutcomeError(report.state, `run "${id}"`, status as ExitStatus);
  }
}

/** Signals where there are any; elsewhere the interrupt of the command. */
function listen(
  { claimSignals, signal }: CarryContext,
  { signalled }: Pick<Conducting["stop"], "signalled">,
): void {
  // What came before the claim is told to nobody again.
  signal.throwIfAborted();
  claimSignals?.(signalled);
  signal.addEventListener("abort", () => signalled("SIGINT"), { once: true });
}

function tellStopping({ tell, inside }: Feed, reason: string): void {
  const waiting = [...inside()].map(([node, until]) => ({ node, until }));
  tell("run.stopping", { data: { reason, waiting } });
}

/** Wishes from elsewhere were written down when they were found. */
function writeStopping({ run, operator }: Carried, reason: string): void {
  if (reason === fromElsewhere) return;
  const d = { hard: false, by: operator, reason };
  // A journal that cannot be written ends the run by itself.
  run.journal.append({ t: "stop", d }).catch(() => {});
}

/** Reason of a wish that was found in the inbox. */
const fromElsewhere = "stop";

/** Conducts a run while its inbox is attended to. */
async function attended(
  context: CarryContext,
  carried: Carried,
  { feed, stop }: Pick<Conducting, "feed" | "stop">,
): Promise<RunReport> {
  const { input: flags, environment } = context;
  const { run, operator } = carried;
  const tellNote = (message: string) =>
    feed.tell("note", { data: { message } });
  const answers = makeAnswers({
    flags,
    environment,
    operator,
    note: tellNote,
    waits: async ({ tag }) => {
      const data = { reason: `approval ${tag}`, for: "approval" };
      feed.tell("run.waiting", { data });
      // A reader of events may be slow.
      if (flags.output.kind !== "jsonl") await feed.taken();
    },
  });
  const ended = new AbortController();
  const looked = Promise.withResolvers<void>();
  const inbox = attendInbox({
    folder: run.folder,
    journal: run.journal,
    history: run.history,
    answer: answers.take,
    stop: ({ hard }) => stop.wish(fromElsewhere, hard),
    note: tellNote,
    now: environment.now,
    looked: looked.resolve,
    signal: ended.signal,
  }).catch((error) => {
    looked.reject(error);
    tellNote(`Messages to the run are not read any more: ${error}`);
  });
  try {
    // What was decided meanwhile is known before the first step.
    await looked.promise;
    return await conducted(context, carried, { feed, stop, answers });
  } finally {
    feed.end();
    ended.abort();
    await inbox;
  }
}

function reportOf(end: RunReport, { run, next }: Carried): RunReport {
  const goesOn = canGoOn({
    history: { ...run.history, start: {}, end: { state: end.state } },
  });
  return goesOn ? { ...end, next } : end;
}
