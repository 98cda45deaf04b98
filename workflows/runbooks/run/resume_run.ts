/** Going on with a run. */

import { ConfigError, RefusedError } from "../../../errors.ts";
import { canGoOn, hasEnded } from "../lock/local_lock.ts";
import { restoreRing } from "../../ca/credentials.ts";
import { loadRunbook } from "../language/load.ts";
import { rebaseRun } from "./rebase.ts";
import { type OpenRun, openRun } from "../store/run_folder.ts";
import type { Context } from "../../../commands/_kit/mod.ts";
import { clockOf } from "../../../commands/_kit/operate.ts";
import type { RunRow } from "../report/watch_run.ts";
import { loadOptions } from "../../../commands/runbook/_load.ts";
import {
  programsOf,
  readKnown,
  refuseCommands,
  refuseHere,
} from "./prepare_run.ts";
import { type CarryContext, carryOut } from "./execute_run.ts";
import { findIn } from "./find_in.ts";
import { openLink, signalOf } from "./run_connection.ts";
import { leaseMsOf, lockFor } from "../lock/lock_for_run.ts";
import { operatorOf } from "../store/operator.ts";
import { openOutputFiles } from "./output_files.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import { refuseRole } from "./required_role.ts";
import type { RunFlags } from "../../../commands/runbook/_flags/run_flags.ts";
import { vaultOf } from "../store/run_vault.ts";
import { takeUp, type TakeUpFlags } from "./resume_decisions.ts";

/** Flags of commands that go on with runs. */
export interface ResumeFlags
  extends RunFlags, TakeUpFlags, Pick<CarryContext["input"], "output"> {
  /** `--allow-commands`. */
  readonly allowCommands: boolean;
}

/** Which run goes on. */
export interface ResumePlace {
  /** Where runs are. */
  readonly places: RunPlaces;
  /** Id of the run. */
  readonly id: string;
  /** Command that goes on; default this one. */
  readonly next?: string;
}

/**
 * Goes on with a run.
 *
 * @param context Flags and environment.
 * @param place Which run.
 * @returns What {@linkcode carryOut} does.
 * @throws {ConfigError} If there is no such run, it is damaged, or it is about another cluster.
 * @throws {HeldError} If a process is at it, or another run has the cluster.
 * @throws {RefusedError} If it has ended for good, or runs programs and nobody has allowed that.
 */
export async function* resumeRun(
  context: Context<ResumeFlags>,
  { places, id, next = nextOf(id, context.input) }: ResumePlace,
): AsyncGenerator<RunRow> {
  const { input, environment, note } = context;
  const leaseMs = leaseMsOf(environment);
  using outputs = await openOutputFiles(input);
  using opened = await openRun(places.runs, id, environment.now);
  refuseEnded(opened);
  const operator = operatorOf(environment);
  const { header, folder } = opened;
  const vault = await vaultOf({
    folder,
    id,
    keyFile: input.vaultKey,
    keys: places.keys,
    environment,
  });
  const clock = clockOf(environment);
  const ended = new AbortController();
  using link = await openLink({
    context: inContext(context, header.context),
    vault,
    clock,
    signal: signalOf(context, ended.signal),
  });
  try {
    await restoreRing(link.ring, vault);
    const facts = await readKnown(link.cluster, clock);
    refuseOther(opened, facts.cluster);
    const { cluster } = header;
    using _ = await lockFor(opened.runbook, {
      places,
      cluster: cluster.id,
      except: [id],
    });
    const run = await rebased(opened, context, operator);
    refuseRole(run.runbook, link.crt);
    refuseCommands(run.runbook, input.allowCommands);
    const inputs = await takeUp(run, input, operator);
    if (run.torn) {
      note("The last line of the journal was cut off and has been removed");
    }
    const programs = programsOf(input, environment);
    const found = await findIn(run.runbook, { ...context, programs }, link);
    yield* carryOut(context, {
      run,
      link,
      vault,
      found,
      facts,
      inputs,
      clock,
      operator,
      next,
      hasEnded: (id) => hasEnded(places.runs, id),
      leaseMs,
    }, outputs);
  } finally {
    ended.abort();
  }
}

function nextOf(id: string, { allowCommands }: ResumeFlags): string {
  const flag = allowCommands ? " --allow-commands" : "";
  return `osctl runbook resume ${id}${flag}`;
}

/** The context a run was begun with, unless another one is named. */
function inContext<T>(context: Context<T>, name: string): Context<T> {
  const { globals } = context;
  return {
    ...context,
    globals: { ...globals, context: globals.context ?? name },
  };
}

/** A run with the runbook that is put in the place of its own, if one is. */
async function rebased(
  run: OpenRun,
  context: Context<ResumeFlags>,
  operator: string,
): Promise<OpenRun> {
  const { input: { withRunbook }, note } = context;
  if (withRunbook === undefined) return run;
  const loaded = await loadRunbook(withRunbook, loadOptions(context));
  refuseHere(loaded.runbook);
  const next = await rebaseRun(run, loaded, operator);
  note(`Run "${run.header.id}" goes on with "${withRunbook}"`);
  return next;
}

function refuseEnded(run: OpenRun): void {
  const { header: { id }, history } = run;
  if (canGoOn(run)) return;
  throw new RefusedError(`Run "${id}" has ended: ${history.end?.state}`, {
    hint: `Look at it with: osctl runbook status ${id}`,
  });
}

function refuseOther(
  { header: { id, cluster } }: OpenRun,
  found: { readonly id: string; readonly name: string },
): void {
  if (found.id === cluster.id) return;
  if (cluster.id === "") {
    throw new ConfigError(
      `Run "${id}" does not say which cluster it is about`,
      {
        hint: `Close it with: osctl runbook abort ${id}`,
      },
    );
  }
  throw new ConfigError(
    `Run "${id}" is about cluster "${cluster.name}", and these nodes are of "${found.name}"`,
    { hint: "Choose the context with --context" },
  );
}
