/** Resuming a run. */

import { ConfigError, RefusedError } from "../../../errors.ts";
import { restoreCredentials } from "../../ca/credentials.ts";
import { loadRunbook } from "../language/loading/load.ts";
import { hasEnded, isResumable } from "../store/run_condition.ts";
import { leaseMsOf, lockFor } from "../lock/lock_for_run.ts";
import type { RunRow } from "../report/watch_run.ts";
import { operatorOf } from "../store/operator.ts";
import { type OpenRun, openRun } from "../store/run_folder.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import { vaultOf } from "../store/run_vault.ts";
import { executeRun } from "./execute_run.ts";
import { openOutputFiles } from "./output_files.ts";
import {
  findSteps,
  readKnown,
  refuseCommands,
  refuseUnsuitable,
  stepsOf,
} from "./prepare_run.ts";
import { rebaseRun } from "./rebase.ts";
import { refuseRole } from "./required_role.ts";
import { recordDecisions, type ResumeDecisions } from "./resume_decisions.ts";
import { callSignal, connectRun } from "./run_connection.ts";
import type { RunSession, RunSettings } from "./run_session.ts";
import { resumeCommand } from "./start_run.ts";

/** How a run is resumed. */
export interface ResumeOptions extends RunSettings, ResumeDecisions {}

/** Which run is resumed. */
export interface ResumedRunPlace {
  /** Where runs are. */
  readonly places: RunPlaces;
  /** Id of the run. */
  readonly id: string;
  /** Command that resumes it; default `osctl runbook resume`. */
  readonly next?: string;
}

/**
 * Resumes a run.
 *
 * @returns What {@linkcode executeRun} does.
 * @throws {ConfigError} If there is no such run, it is damaged, or it is about another cluster.
 * @throws {HeldError} If a process runs it, or another run has the cluster.
 * @throws {RefusedError} If it has ended for good, or runs programs and that is not allowed.
 */
export async function* resumeRun(
  session: RunSession,
  options: ResumeOptions,
  { places, id, next = resumeCommand(id, options) }: ResumedRunPlace,
): AsyncGenerator<RunRow> {
  const { environment, clock, note } = session;
  const leaseMs = leaseMsOf(environment);
  using files = await openOutputFiles(options);
  using opened = await openRun(places.runs, id, environment.now);
  refuseEnded(opened);
  const operator = operatorOf(environment);
  const { header, folder } = opened;
  const { keys } = places;
  const keyFile = options.vaultKey;
  const vault = await vaultOf({ folder, id, keyFile, keys, environment });
  const ended = new AbortController();
  const signal = callSignal(session, ended.signal);
  const to = await session.connect(header.context, signal);
  using connection = connectRun({ to, vault, clock, signal });
  try {
    await restoreCredentials(connection.ring, vault);
    const facts = await readKnown(connection.cluster, clock);
    refuseOther(opened, facts.cluster);
    using _ = await lockFor(opened.runbook, {
      places,
      cluster: header.cluster.id,
      except: [id],
    });
    const run = await rebased(opened, session, options, operator);
    refuseRole(run.runbook, connection.crt);
    refuseCommands(run.runbook, options.allowCommands);
    const inputs = await recordDecisions(run, options, operator);
    if (run.torn) {
      note("The last line of the journal was incomplete and has been removed");
    }
    yield* executeRun(session, options, {
      run,
      connection,
      vault,
      found: await findSteps(
        run.runbook,
        stepsOf(session, options, connection),
      ),
      facts,
      inputs,
      clock,
      operator,
      next,
      hasEnded: (id) => hasEnded(places.runs, id),
      leaseMs,
    }, files);
  } finally {
    ended.abort();
  }
}

/** A run with the runbook that replaces its own, if one does. */
async function rebased(
  run: OpenRun,
  { load, note }: RunSession,
  { withRunbook }: ResumeOptions,
  operator: string,
): Promise<OpenRun> {
  if (withRunbook === undefined) return run;
  const loaded = await loadRunbook(withRunbook, load);
  refuseUnsuitable(loaded.runbook);
  const next = await rebaseRun(run, loaded, operator);
  note(`Run "${run.header.id}" continues with "${withRunbook}"`);
  return next;
}

function refuseEnded(run: OpenRun): void {
  const { header: { id }, history } = run;
  if (isResumable(run)) return;
  throw new RefusedError(`Run "${id}" has ended: ${history.end?.state}`, {
    hint: `Show it with: osctl runbook status ${id}`,
  });
}

function refuseOther(
  { header: { id, cluster } }: OpenRun,
  found: { readonly id: string; readonly name: string },
): void {
  if (found.id === cluster.id) return;
  if (cluster.id === "") {
    throw new ConfigError(
      `Run "${id}" does not record its cluster`,
      { hint: `Abort it with: osctl runbook abort ${id}` },
    );
  }
  throw new ConfigError(
    `Run "${id}" is for cluster "${cluster.name}", but these nodes belong to "${found.name}"`,
    { hint: "Choose the context with --context" },
  );
}
