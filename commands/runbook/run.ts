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
import { inputFlags } from "../_runbook/input_flags.ts";
import type { RunRequest } from "../../workflows/runbooks/run/prepare_run.ts";
import { startRun } from "../../workflows/runbooks/run/start_run.ts";
import { runSession } from "../_runbook/session.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import {
  allowCommandsFlag,
  runFlags,
  supersedeFlag,
} from "../_runbook/run_flags.ts";

export const command: Command<RunRow, RunRequest> = {
  summary: "Run a runbook",
  description:
    `Every change is recorded before it is sent, so that "osctl runbook resume" can continue a run whose process died. The
first Ctrl-C stops the run at the next safe point, the second stops it at once.

On a terminal osctl asks for approvals, and before a run that changes nodes and has none; otherwise the run stops with
status 76 at an approval that --yes does not cover.`,
  inputs: {
    ...inputFlags,
    limit: stringArray(
      "only these nodes, by name or by condition; repeatable",
    ),
    ...runFlags,
    allowCommands: allowCommandsFlag,
    supersede: supersedeFlag,
    plan: text(
      'reviewed plan, from "osctl runbook plan -o json"; the run is refused if the facts the plan relies on have changed',
      { complete: "files" },
    ),
    output: outputFlag,
    runbook: word("file, or builtin:<name>", {
      complete: "runbooks",
    }),
  },
  examples: [
    "runbook run builtin:rolling-upgrade --input version=v1.13.4",
    "runbook run ./upgrade.runbook.yaml --inputs values.yaml --yes",
  ],
  view: runView,
  run,
};

async function* run(context: Context<RunRequest>): AsyncGenerator<RunRow> {
  const places = findPlaces(context.environment);
  yield* startRun(runSession(context), context.input, { places });
}
