import { contextName } from "../_session/osconfig.ts";
import { locateRuns } from "../../config/osconfig/location.ts";
import { ConfigError } from "../../errors.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import {
  eventsPath,
  latestEvents,
  readEvents,
} from "../../workflows/runbooks/store/event_file.ts";
import {
  artifactsIn,
  type ListedRun,
  readRun,
} from "../../workflows/runbooks/store/run_folder.ts";
import { readRunbook } from "../../workflows/runbooks/store/run_header.ts";
import { conditionReader } from "../../workflows/runbooks/store/run_condition.ts";
import { isHeld } from "../../workflows/runbooks/store/run_lock.ts";
import {
  type Command,
  type Context,
  toggle,
  type Values,
  type View,
} from "../_kit/mod.ts";
import { foldRun } from "../../workflows/runbooks/report/run_state.ts";
import { showRun } from "../../workflows/runbooks/report/show_run.ts";
import { optionalRunWord, readNamed } from "./_flags/run_argument.ts";
import {
  type RunStatusRow,
  statusRow,
} from "../../workflows/runbooks/report/status_row.ts";
import { reportParts } from "../../workflows/runbooks/report/report_text.ts";
import { statusText } from "../../workflows/runbooks/report/status_text.ts";

const inputs = {
  watch: toggle("watch until the run ends", { short: "w" }),
  run: optionalRunWord,
};

type StatusInputs = Values<typeof inputs>;

export const command = {
  summary: "Show the status of a run",
  description:
    `Reads the records of the run on this machine; no node is contacted. A run in another process is shown as it is now, and
with --watch until it ends. A run whose process died is "interrupted"; the commands to resume or abort it come last.

A call whose result is not recorded is in doubt: "osctl runbook resume" checks the node first. Also lists what the run
has left on nodes.`,
  inputs,
  examples: [
    "runbook status",
    "runbook status last --watch",
    "runbook status 20261120-7k2f -o json",
  ],
  view: (_, { stdout, now }): View<RunStatusRow> => ({
    kind: "text",
    gather: false,
    parts: reportParts,
    render: (row) =>
      statusText(row, stdout.columns() ?? unlimited, now().getTime()),
  }),
  async *run(context) {
    const { input, environment } = context;
    const run = await readNamed(
      input.run,
      environment,
      () => contextName(context),
    );
    if (!input.watch || !run.held) {
      yield await toRow(run, context);
      return;
    }
    await watchStatus(run, context);
    const runs = locateRuns(environment.env);
    yield await toRow(await readRun(runs, run.header.id), context);
  },
} satisfies Command<RunStatusRow, StatusInputs>;

/** Width without a terminal, in characters. */
const unlimited = 1_000;

async function watchStatus(
  { folder, header }: ListedRun,
  { note, environment, signal }: Context<StatusInputs>,
): Promise<void> {
  const goesOn = () => isHeld(folder);
  const events = readEvents(eventsPath(folder), { goesOn, signal });
  await showRun(events, {
    note,
    environment,
    moment: conditionReader(locateRuns(environment.env), header.id),
    reports: environment.stdout.terminal,
  });
  signal.throwIfAborted();
}

async function toRow(
  run: ListedRun,
  { note }: Context<StatusInputs>,
): Promise<RunStatusRow> {
  const { folder } = run;
  return statusRow({
    run,
    runbook: await loadRunbook(run, note),
    shown: foldRun(await latestEvents(folder)).shown(),
    artifacts: await artifactsIn(folder),
  });
}

/** Without its runbook, a run cannot resume, but everything else can be shown. */
async function loadRunbook(
  { folder, header, history }: ListedRun,
  note: (text: string) => void,
): Promise<Runbook | undefined> {
  try {
    return await readRunbook(folder, header, history.rebased);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(error.message);
    return undefined;
  }
}
