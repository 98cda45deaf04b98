import { findRun } from "../../workflows/runbooks/store/find_run.ts";
import {
  type AnyCommand,
  type Command,
  type Context,
  optionalWord,
  outputFlag,
  type Values,
} from "../_kit/mod.ts";
import {
  type RunRow,
  runView,
} from "../../workflows/runbooks/report/watch_run.ts";
import { placesOf } from "../../workflows/runbooks/store/run_paths.ts";
import { resumeRun } from "../../workflows/runbooks/run/resume_run.ts";
import { allowCommandsFlag, runFlags } from "../_runbook/run_flags.ts";
import { decisionFlags } from "./_flags/decision_flags.ts";
import { runSession } from "../_runbook/session.ts";

const inputs = {
  ...decisionFlags,
  ...runFlags,
  allowCommands: allowCommandsFlag,
  output: outputFlag,
  run: optionalWord("id of the run", { complete: "runs" }),
};

/** Inputs of the command. */
type ResumeInputs = Values<typeof inputs>;

/** `osctl runbook resume`: goes on with a run. */
export const command: AnyCommand = {
  summary: "Go on with a run that was stopped, was cut off or has failed",
  description:
    `What was done is not done again. Of what was sent and has no end on record the nodes are asked first, so that a
restart, an install or a bootstrap happens once. Failed steps are tried anew, gates are looked at again.

The run is that of RUN, how only one begins, or "last"; left out, the only one that has not ended.`,
  inputs,
  examples: [
    "runbook resume",
    "runbook resume 20261120-7k2f --yes",
    'runbook resume last --drop-node worker-3 --reason "its disk is dead"',
    "runbook resume last --with-runbook corrected.runbook.yaml",
  ],
  view: runView,
  run: resume,
} satisfies Command<RunRow, ResumeInputs>;

async function* resume(context: Context<ResumeInputs>): AsyncGenerator<RunRow> {
  const places = placesOf(context.environment);
  const id = await findRun(places.runs, context.input.run);
  yield* resumeRun(runSession(context), context.input, { places, id });
}
