import { lockKey } from "../../workflows/runbooks/lock/local_lock.ts";
import { reportDocument } from "../../workflows/runbooks/report/buckets.ts";
import { readRun } from "../../workflows/runbooks/store/run_folder.ts";
import {
  type Command,
  type Context,
  outputFlag,
  stringArray,
  text,
  type Values,
} from "../_kit/mod.ts";
import { requiredText } from "../_kit/inputs.ts";
import { shellWord } from "../../terminal/shell_word.ts";
import {
  type RunRow,
  runView,
} from "../../workflows/runbooks/report/watch_run.ts";
import { inputFlags } from "../_runbook/input_flags.ts";
import { startRun } from "../../workflows/runbooks/run/start_run.ts";
import { runSession } from "../_runbook/session.ts";
import {
  readSuccess,
  runOfKey,
} from "../../workflows/runbooks/store/find_run.ts";
import {
  findPlaces,
  placesIn,
} from "../../workflows/runbooks/store/run_paths.ts";
import { resumeRun } from "../../workflows/runbooks/run/resume_run.ts";
import { allowCommandsFlag, runFlags } from "../_runbook/run_flags.ts";
import { undecided } from "../../workflows/runbooks/run/resume_decisions.ts";

const inputs = {
  runbook: requiredText("file, or builtin:<name>", {
    complete: "runbooks",
  }),
  runKey: requiredText("key of the run, chosen by the caller"),
  stateDir: text("directory of runs, keys and locks", {
    complete: "directories",
    shown: "the user's",
  }),
  ...inputFlags,
  limit: stringArray(
    "only these nodes, by name or by condition; repeatable",
  ),
  ...runFlags,
  allowCommands: allowCommandsFlag,
  output: outputFlag,
};

type RunOrResumeInputs = Values<typeof inputs>;

export const command = {
  summary: "Run, or resume the run with this key",
  description:
    `For programs that call osctl repeatedly until a runbook is done: the same key always means the same run. A started run
is resumed with its original runbook, inputs and --limit; a run that has succeeded only prints its report again.

On status 75, call again. 76: an approval is needed first. 4, 5, 7 and 8: do not retry automatically.`,
  inputs,
  examples: [
    "runbook run-or-resume --runbook rolling-upgrade --run-key june-lab --input version=v1.13.4 --yes -o jsonl",
    "runbook run-or-resume --runbook u.runbook.yaml --run-key 7 --state-dir /state --grace 50s",
  ],
  view: runView,
  run,
} satisfies Command<RunRow, RunOrResumeInputs>;

async function* run(
  context: Context<RunOrResumeInputs>,
): AsyncGenerator<RunRow> {
  const { input, environment } = context;
  const { runKey: key, stateDir } = input;
  const places = stateDir === undefined
    ? findPlaces(environment)
    : placesIn(stateDir);
  using _ = await lockKey(places.locks, key);
  const id = await runOfKey(places, key);
  const session = runSession(context);
  const next = formatCommand(input);
  if (id === undefined) {
    const options = { ...input, supersede: undefined };
    yield* startRun(session, options, { places, keyed: { key, next } });
    return;
  }
  const success = await readSuccess(await readRun(places.runs, id));
  if (success !== undefined) {
    const { kind } = input.output;
    if (kind === "jsonl") return;
    yield kind === "table" ? success : reportDocument(success);
    return;
  }
  yield* resumeRun(session, { ...input, ...undecided }, { places, id, next });
}

/** The shortest command line to continue with. */
function formatCommand(
  { runbook, runKey, stateDir }: RunOrResumeInputs,
): string {
  const words = ["osctl", "runbook", "run-or-resume"];
  const flags = { runbook, "run-key": runKey, "state-dir": stateDir };
  for (const [name, value] of Object.entries(flags)) {
    if (value !== undefined) words.push(`--${name}`, shellWord(value));
  }
  return words.join(" ");
}
