import { contextName } from "../_session/osconfig.ts";
import { findRun } from "../../workflows/runbooks/store/find_run.ts";
import {
  type Command,
  type Context,
  type Flag,
  optionalWord,
  outputFlag,
  stringArray,
  text,
  type Values,
} from "../_kit/mod.ts";
import {
  type RunRow,
  runView,
} from "../../workflows/runbooks/report/watch_run.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import { resumeRun } from "../../workflows/runbooks/run/resume_run.ts";
import { allowCommandsFlag, runFlags } from "../_runbook/run_flags.ts";
import { runSession } from "../_runbook/session.ts";
import type { ResumeDecisions } from "../../workflows/runbooks/run/resume_decisions.ts";

/** Flags that change a run before it is resumed. */
const decisionFlags: {
  readonly [Name in keyof ResumeDecisions]: Flag<ResumeDecisions[Name]>;
} = {
  skip: stringArray("skip a step: path, or path@node; needs --reason"),
  redo: stringArray("repeat a step: path, or path@node"),
  resolve: stringArray(
    "resolve a step in doubt: path@node=done, =redo or =skip",
  ),
  dropNode: stringArray(
    "drop a node from the run; it counts as failed; needs --reason",
  ),
  set: stringArray("new value of a mutable input, name=value"),
  reason: text("reason, recorded with the run"),
  withRunbook: text(
    "resume with a corrected runbook, in which all started steps are unchanged",
    { complete: "runbooks" },
  ),
};

const inputs = {
  ...decisionFlags,
  ...runFlags,
  allowCommands: allowCommandsFlag,
  output: outputFlag,
  run: optionalWord("id of the run", { complete: "runs" }),
};

type ResumeInputs = Values<typeof inputs>;

export const command = {
  summary: "Resume a run",
  description:
    `Resumes a run that was stopped, was interrupted, or failed. Finished steps are not repeated, except cordon and
drain of nodes in the middle of their steps. For calls whose result was not recorded, the nodes are checked first, so
that a restart, an installation or a bootstrap happens once. Failed steps are retried and gates are checked again.

RUN is the id of a run or a unique prefix of it, or "last"; default the running one, or
the only unfinished one, of all or of this context.`,
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
  const places = findPlaces(context.environment);
  const id = await findRun(
    places.runs,
    context.input.run,
    () => contextName(context),
  );
  yield* resumeRun(runSession(context), context.input, { places, id });
}
