import {
  type Command,
  type Context,
  outputFlag,
  stringArray,
  text,
  word,
} from "../_kit/mod.ts";
import {
  type RunRow,
  runView,
} from "../../workflows/runbooks/report/watch_run.ts";
import { inputFlags } from "./_flags/input_flags.ts";
import type { StartOptions } from "../../workflows/runbooks/run/prepare_run.ts";
import { startRun } from "../../workflows/runbooks/run/start_run.ts";
import { runSession } from "../_runbook/session.ts";
import { placesOf } from "../../workflows/runbooks/store/run_paths.ts";
import {
  allowCommandsFlag,
  runFlags,
  supersedeFlag,
} from "../_runbook/run_flags.ts";

/** `osctl runbook run`: carries a runbook out. */
export const command: Command<RunRow, StartOptions> = {
  summary: "Carry a runbook out",
  description:
    `Everything that is done is written down before, so that a run whose process died is gone on with by
osctl runbook resume. The first Ctrl-C stops it at the next safe point, the second one waits for nothing.

On a terminal questions are asked; elsewhere the run stops before a question that --yes does not answer, with status 76.`,
  inputs: {
    ...inputFlags,
    limit: stringArray(
      "only nodes of that name, or for which the condition holds; repeatable",
    ),
    ...runFlags,
    allowCommands: allowCommandsFlag,
    supersede: supersedeFlag,
    plan: text(
      "file of osctl runbook plan -o json; what it rests on must not have changed",
      { complete: "files" },
    ),
    output: outputFlag,
    runbook: word("file, or builtin:<name>", {
      complete: "files",
    }),
  },
  examples: [
    "runbook run builtin:rolling-upgrade --input version=v1.13.4",
    "runbook run ./upgrade.runbook.yaml --inputs values.yaml --yes",
  ],
  view: runView,
  run,
};

async function* run(context: Context<StartOptions>): AsyncGenerator<RunRow> {
  const places = placesOf(context.environment);
  yield* startRun(runSession(context), context.input, { places });
}
