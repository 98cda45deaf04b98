/** Carrying a run out, from the engine to the screen. */

import {
  type ExitStatus,
  exitStatus,
  OutcomeError,
  RefusedError,
} from "../../../errors.ts";
import { checks } from "../../../workflows/checks/all.ts";
import type { OperationClock } from "../../../workflows/operation.ts";
import type { RunReport } from "../../../workflows/runbooks/event.ts";
import type {
  Beginning,
  RunEnd,
} from "../../../workflows/runbooks/engine/run.ts";
import { createHold } from "../../../workflows/runbooks/hold/cluster_hold.ts";
import { isUnfinished } from "../../../workflows/runbooks/hold/local_lock.ts";
import type { Details } from "../../../workflows/runbooks/journal/record.ts";
import type { RunJournal } from "../../../workflows/runbooks/journal/writer.ts";
import type { Found } from "../../../workflows/runbooks/load/lookup.ts";
import type { Vault } from "../../../workflows/runbooks/module.ts";
import type { Facts } from "../../../workflows/runbooks/read_facts.ts";
import { plannedStages } from "../../../workflows/runbooks/report/planned_stages.ts";
import { conduct } from "../../../workflows/runbooks/run/conduct.ts";
import { openEventFile } from "../../../workflows/runbooks/run/event_file.ts";
import { attendInbox } from "../../../workflows/runbooks/run/attend.ts";
import {
  artifactsIn,
  type OpenRun,
} from "../../../workflows/runbooks/run/run_folder.ts";
import type { OpenVault } from "../../../workflows/vault/vault.ts";
import type { Context } from "../../_kit/command.ts";
import type { Format } from "../../_kit/mod.ts";
import { type RunRow, runView, watchRun } from "../_display/watch_run.ts";
import { type Answers, makeAnswers } from "./answers.ts";
import { type Feed, makeFeed } from "./feed.ts";
import type { Link } from "./link.ts";
import type { RunFlags } from "./run_flags.ts";
import { type Stopping, stopping } from "./stopping.ts";

export { runView };

/** A run that is about to go on. */
export interface Carried {
  /** Its folder, open. */
  readonly run: OpenRun;
  /** Its cluster. */
  readonly link: Link;
  /** Its secrets. */
  readonly vault: OpenVault;
  /** What its runbooks name. */
  readonly found: Found;
  /** The cluster, read for it. */
  readonly facts: Facts;
  /** Values of the inputs, as they are now. */
  readonly inputs: OpenRun["header"]["inputs"];
  /** Time. */
  readonly clock: OperationClock;
  /** Who runs it: user and host. */
  readonly operator: string;
}

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
 * @param context Flags and the world.
 * @param carried The run.
 * @returns What {@linkcode watchRun} does.
 * @throws {OutcomeError} With the exit status of the run, unless it is 0.
 */
export async function* carryOut(
  context: CarryContext,
  carried: Carried,
): AsyncGenerator<RunRow> {
  const { input: flags, world, note, claimSignals } = context;
  const { run, vault, operator } = carried;
  const { id } = run.header;
  await using eventFile = await openEventFile(run.folder, note);
  const feed = makeFeed({
    run: id,
    now: world.now,
    mask: vault.masker.mask,
    take: (event) => void eventFile.add(event),
  });
  using stop = stopping({
    graceMs: flags.grace,
    detach: flags.detach,
    begun: (why) => tellStopping(feed, why),
    exit: (signal) => Deno.exit(statusOfSignal(signal)),
  });
  claimSignals?.(stop.signalled);
  context.signal.addEventListener("abort", () => stop.wish("interrupt"));
  const answers = makeAnswers({ flags, world, operator, note });
  const ended = new AbortController();
  const looked = Promise.withResolvers<void>();
  const inbox = attendInbox({
    folder: run.folder,
    journal: run.journal,
    history: run.history,
    answer: answers.take,
    stop: ({ hard }) => stop.wish("stop", hard),
    note: (message) => feed.tell("note", { data: { message } }),
    now: world.now,
    looked: looked.resolve,
    signal: ended.signal,
  });
  inbox.catch(looked.reject);
  const running = looked.promise
    .then(() => conducted(context, carried, { feed, stop, answers }))
    .finally(feed.end);
  // It is told where the report is asked for.
  running.catch(() => {});
  try {
    const files = await outputFiles(flags);
    using _ = files;
    yield* watchRun({
      events: feed.events,
      report: async () => reportOf(await running, carried),
    }, { ...files, format: flags.output, note, world });
  } finally {
    // Whoever leaves early only stops watching.
    await running.catch(() => {});
    ended.abort();
    await inbox;
  }
  const report = await running;
  const status = stop.abandonedBy() === undefined
    ? report.status
    : statusOfSignal(stop.abandonedBy());
  if (status !== exitStatus.ok) {
    // Only statuses of the table are in reports.
    throw new OutcomeError(report.state, `run "${id}"`, status as ExitStatus);
  }
}

function statusOfSignal(signal: string | undefined): ExitStatus {
  return signal === "SIGINT" ? exitStatus.interrupted : exitStatus.terminated;
}

function tellStopping({ tell, inside }: Feed, reason: string): void {
  const waiting = [...inside()].map(([node, until]) => ({ node, until }));
  tell("run.stopping", { data: { reason, waiting } });
}

/** What goes on around the engine. */
interface Around {
  readonly feed: Feed;
  readonly stop: Stopping;
  readonly answers: Answers;
}

async function conducted(
  { input: flags, note }: CarryContext,
  carried: Carried,
  { feed, stop, answers }: Around,
): Promise<RunEnd> {
  const { run, link, vault, found, facts, inputs, clock, operator } = carried;
  const { header, runbook, history } = run;
  const { id } = header;
  const modules = new Set(history.modules);
  const journal = followed(run.journal, modules);
  const { tell } = feed;
  const hold = createHold({
    kubernetes: link.view.kubernetes,
    run: id,
    operator,
    clock,
    needed: runbook.requires.needs.includes("kubernetes"),
    claimed: history.lease !== undefined,
    ...(flags.supersede === undefined ? {} : { supersede: flags.supersede }),
    async record(details) {
      await journal.append({ t: "lease", d: details });
      tellLease(feed, details, `${id} @ ${operator}`);
    },
    note: (message) => tell("note", { data: { message } }),
  });
  const locks = runbook.policy.lock === "cluster";
  if (locks) await hold.look();
  tell("run.planned", {
    data: {
      runbook: runbook.name,
      title: runbook.title,
      cluster: header.cluster.name,
      stages: plannedStages(runbook, () => undefined),
    },
  });
  const beginning: Beginning = {
    facts,
    start: { ...header.files, ir: header.ir, operator, inputs },
    artifacts: () => artifactsIn(run.folder),
  };
  let finished = false;
  try {
    const end = await conduct({
      run: id,
      runbook,
      inputs,
      clock,
      random: Math.random,
      cluster: link.cluster,
      found,
      checks,
      journal,
      history,
      hold: locks ? hold : { ensure: () => Promise.resolve(undefined) },
      room: {
        artifacts: `${run.folder}/artifacts`,
        vault: toldVault(vault, journal, feed),
        ring: link.ring,
      },
      ask: answers.ask,
      stop,
      parallel: flags.parallel,
      ...(header.limit === undefined ? {} : { limit: new Set(header.limit) }),
      tell,
    }, beginning);
    const { start } = history;
    finished = !isUnfinished({
      history: { ...history, start: start ?? {}, end: { state: end.state } },
    });
    // Without its key the folder of a run that has succeeded may be given to anybody.
    const isExported = vault.names().length === 0 ||
      modules.has("vault.export");
    if (end.state === "succeeded" && isExported) await vault.destroyKey();
    return end;
  } finally {
    await hold.release(finished);
  }
}

function tellLease(
  { tell }: Feed,
  { state, reason }: Details,
  holder: string,
): void {
  if (state === "taken") tell("lease.taken", { data: { holder } });
  if (state === "lost") {
    tell("lease.lost", { data: { reason: String(reason) } });
  }
}

/** What is put into the vault is written down when it is there. */
function toldVault(
  vault: OpenVault,
  journal: RunJournal,
  { tell }: Feed,
): Vault {
  return {
    ...vault,
    async put(name, value, fingerprint) {
      const handle = await vault.put(name, value, fingerprint);
      const data = {
        name,
        ...(fingerprint === undefined ? {} : { fingerprint }),
      };
      await journal.append({ t: "secret", d: data });
      tell("secret.made", { data });
      return handle;
    },
  };
}

/** A journal, and the modules that have ended well in it. */
function followed(journal: RunJournal, modules: Set<string>): RunJournal {
  return {
    append(record) {
      const { t, d } = record;
      if (t === "result" && d?.state === "ok" && typeof d.module === "string") {
        modules.add(d.module);
      }
      return journal.append(record);
    },
  };
}

function reportOf(end: RunEnd, { run }: Carried): RunReport {
  const goesOn = isUnfinished({
    history: { ...run.history, start: {}, end: { state: end.state } },
  });
  return goesOn ? { ...end, next: `osctl runbook resume ${end.run}` } : end;
}

/** Files that were asked for, open before anything is done. */
async function outputFiles(
  { eventsFile, junit }: Pick<RunFlags, "eventsFile" | "junit">,
): Promise<
  & Disposable
  & {
    readonly eventsFile?: (line: string) => Promise<void>;
    readonly junitFile?: (text: string) => Promise<void>;
  }
> {
  const events = eventsFile === undefined
    ? undefined
    : await created(eventsFile);
  const report = junit === undefined ? undefined : await created(junit);
  const encoder = new TextEncoder();
  const writer = (file: Deno.FsFile) => async (text: string) => {
    let rest = encoder.encode(text);
    while (rest.length > 0) rest = rest.subarray(await file.write(rest));
  };
  return {
    ...(events === undefined ? {} : { eventsFile: writer(events) }),
    ...(report === undefined ? {} : { junitFile: writer(report) }),
    [Symbol.dispose]() {
      events?.close();
      report?.close();
    },
  };
}

async function created(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path, { create: true, write: true, truncate: true });
  } catch (error) {
    throw new RefusedError(`Cannot write "${path}"`, { cause: error });
  }
}
