import { locateRuns } from "../../config/location.ts";
import { ConfigError, RefusedError } from "../../errors.ts";
import { restoreRing } from "../../workflows/ca/credentials.ts";
import { findRun } from "../../workflows/runbooks/run/find_run.ts";
import {
  type OpenRun,
  openRun,
} from "../../workflows/runbooks/run/run_folder.ts";
import {
  type Command,
  type Context,
  optionalWord,
  outputFlag,
} from "../_kit/mod.ts";
import { clockOf } from "../_kit/operate.ts";
import type { RunRow } from "./_display/watch_run.ts";
import { type CarryContext, carryOut, runView } from "./_run/carry_out.ts";
import { findIn } from "./_run/find_in.ts";
import { openLink } from "./_run/link.ts";
import { lockFor } from "./_run/lock.ts";
import { operatorOf } from "./_run/operator.ts";
import { type RunFlags, runFlags } from "./_run/run_flags.ts";
import { vaultOf } from "./_run/secrets.ts";
import { takeUp, type TakeUpFlags, takeUpFlags } from "./_run/take_up.ts";

/** Inputs of the command. */
export interface ResumeInputs
  extends RunFlags, TakeUpFlags, Pick<CarryContext["input"], "output"> {
  /** Id of the run. */
  readonly run: string | undefined;
}

/** `osctl runbook resume`: goes on with a run. */
export const command: Command<RunRow, ResumeInputs> = {
  summary: "Go on with a run that was stopped, was cut off or has failed",
  description:
    `What was done is not done again. Of what was sent and has no end on record the nodes are asked first, so that a
restart, an install or a bootstrap happens once. Failed steps are tried anew, gates are looked at again.

The run is that of RUN, how only one begins, or "last"; left out, the only one that has not ended.`,
  output: "own",
  inputs: {
    ...takeUpFlags,
    ...runFlags,
    output: outputFlag,
    run: optionalWord("id of the run"),
  },
  examples: [
    "runbook resume",
    "runbook resume 20261120-7k2f --yes",
    'runbook resume last --drop-node worker-3 --reason "its disk is dead"',
  ],
  view: runView,
  run: resume,
};

async function* resume(context: Context<ResumeInputs>): AsyncGenerator<RunRow> {
  const { input, world, globals } = context;
  const runs = locateRuns(world.env);
  const id = await findRun(runs, input.run);
  using run = await openRun(runs, id, world.now);
  const { header, folder, runbook } = run;
  refuseEnded(run);
  const clock = clockOf(world);
  const operator = operatorOf(world);
  const ended = new AbortController();
  const vault = await vaultOf({ folder, id, keyFile: input.vaultKey, world });
  using link = await openLink({
    context: {
      ...context,
      globals: { ...globals, context: globals.context ?? header.context },
    },
    vault,
    clock,
    signal: ended.signal,
  });
  try {
    await restoreRing(link.ring, vault);
    const facts = await link.cluster.readFacts();
    refuseOther(run, facts.cluster);
    using _ = await lockFor(runbook, header.cluster.id, context, id);
    const inputs = await takeUp(run, input, operator);
    if (run.torn) {
      context.note(
        "The last line of the journal was cut off and has been removed",
      );
    }
    yield* carryOut(context, {
      run,
      link,
      vault,
      found: await findIn(runbook, context, link),
      facts,
      inputs,
      clock,
      operator,
    });
  } finally {
    ended.abort();
  }
}

function refuseEnded({ header: { id }, history }: OpenRun): void {
  const state = history.end?.state;
  if (state !== "succeeded" && state !== "cancelled") return;
  throw new RefusedError(`Run "${id}" has ended: ${state}`, {
    hint: `Look at it with: osctl runbook status ${id}`,
  });
}

function refuseOther(
  { header: { id, cluster } }: OpenRun,
  found: { readonly id: string; readonly name: string },
): void {
  if (found.id === cluster.id) return;
  throw new ConfigError(
    `Run "${id}" is about cluster "${cluster.name}", and these nodes are of "${found.name}"`,
    { hint: "Choose the context with --context" },
  );
}
