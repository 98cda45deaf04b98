/** Beginning a run: from a runbook and its inputs to its folder, and on. */

import type { OperationClock } from "../../operations/operation.ts";
import { openOutputFiles } from "./output_files.ts";
import { findRun } from "../store/find_run.ts";
import { hasEnded } from "../lock/local_lock.ts";
import {
  createRun,
  makeRunFolder,
  newRunId,
  type OpenRun,
} from "../store/run_folder.ts";
import type { RunHeader } from "../store/run_header.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { Context } from "../../../commands/_kit/mod.ts";
import { clockOf } from "../../../commands/_kit/operate.ts";
import { release } from "../../../release.ts";
import type { RunRow } from "../report/watch_run.ts";
import { type CarryContext, carryOut } from "./execute_run.ts";
import type { Carried } from "./locked_run.ts";
import { type Link, openLink, signalOf } from "./run_connection.ts";
import { leaseMsOf, lockFor } from "../lock/lock_for_run.ts";
import { operatorOf } from "../store/operator.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import {
  look,
  type Looked,
  prepare,
  type Prepared,
  type PrepareFlags,
} from "./prepare_run.ts";
import type { RunFlags } from "../../../commands/runbook/_flags/run_flags.ts";
import { keepSecrets, vaultOf } from "../store/run_vault.ts";
import { supersede } from "./supersede.ts";

/** Flags of commands that begin runs. */
export interface BeginFlags
  extends RunFlags, PrepareFlags, Pick<CarryContext["input"], "output"> {
  /** `--supersede`. */
  readonly supersede: string | undefined;
}

/** Where a run is kept, and what it is known by. */
export interface BeginPlace {
  /** Where runs are. */
  readonly places: RunPlaces;
  /** Key of an outer engine, and the command that goes on. */
  readonly keyed?: { readonly key: string; readonly next: string };
}

/** What a run is begun with, and the cluster it is for. */
interface Beginning extends BeginPlace, Prepared, Looked {
  readonly id: string;
  /** Run whose place is taken. */
  readonly old: string | undefined;
  readonly link: Link;
  readonly leaseMs: number | undefined;
  readonly clock: OperationClock;
  readonly operator: string;
}

/**
 * Begins a run and carries it out.
 *
 * @param context Flags and environment.
 * @param place Where it is kept.
 * @returns What {@linkcode carryOut} does.
 * @throws {ConfigError} If runbook, inputs or files are wrong; nothing was sent.
 * @throws {HeldError} If another run has the cluster.
 * @throws {RefusedError} If the certificate has not the role, or what a plan rests on has changed.
 */
export async function* beginRun(
  context: Context<BeginFlags>,
  place: BeginPlace,
): AsyncGenerator<RunRow> {
  const { input, environment } = context;
  const prepared = await prepare(context);
  const leaseMs = leaseMsOf(environment);
  using files = await openOutputFiles(input);
  const clock = clockOf(environment);
  const ended = new AbortController();
  const kept: { vault?: OpenVault } = {};
  using link = await openLink({
    context,
    vault: { read: (handle) => vaultIn(kept).read(handle) },
    clock,
    signal: signalOf(context, ended.signal),
  });
  try {
    const looked = await look(prepared, context, link);
    const { places } = place;
    const id = newRunId(environment.now());
    const old = await oldOf(input.supersede, places);
    const operator = operatorOf(environment);
    const known = { ...place, ...prepared, ...looked, leaseMs };
    const beginning: Beginning = { ...known, id, old, link, clock, operator };
    using _ = await lockFor(prepared.loaded.runbook, {
      places,
      cluster: looked.facts.cluster.id,
      except: [old],
    });
    await close(context, beginning);
    using carried = await begun(context, beginning, kept);
    yield* carryOut(context, carried, files);
  } finally {
    ended.abort();
  }
}

function vaultIn({ vault }: { readonly vault?: OpenVault }): OpenVault {
  if (vault === undefined) throw new TypeError("There is no vault yet");
  return vault;
}

/** Id of the run whose place is taken, if one is. */
async function oldOf(
  word: string | undefined,
  { runs }: RunPlaces,
): Promise<string | undefined> {
  return word === undefined ? undefined : await findRun(runs, word);
}

/** Closes the run whose place is taken, if one is. */
async function close(
  { environment: { now }, note }: Context<unknown>,
  { places: { runs }, facts, id, old, operator }: Beginning,
): Promise<void> {
  if (old === undefined) return;
  const cluster = facts.cluster.id;
  await supersede({ runs, old, by: id, cluster, operator, now, note });
}

/** Makes secrets and folder; from then on there is a run to go on with. */
async function begun(
  context: Context<BeginFlags>,
  beginning: Beginning,
  kept: { vault?: OpenVault },
): Promise<Carried & Disposable> {
  const { input: { vaultKey, allowCommands }, environment, note } = context;
  const { places, keyed, given, id, old, link, facts, found } = beginning;
  const { leaseMs } = beginning;
  const folder = await makeRunFolder(places.runs, id);
  const { keys } = places;
  const vault = await vaultOf({
    folder,
    id,
    keyFile: vaultKey,
    keys,
    environment,
  });
  kept.vault = vault;
  const secrets = await keepSecrets(vault, given.secrets);
  const inputs = { ...given.values, ...secrets };
  const run = await folderOf(context, beginning, inputs);
  try {
    note(`Run ${id} in ${run.folder}`);
    const { clock, operator } = beginning;
    return {
      run,
      link,
      vault,
      facts,
      inputs,
      clock,
      operator,
      supersede: old,
      found,
      hasEnded: (id) => hasEnded(places.runs, id),
      leaseMs,
      next: keyed?.next ??
        `osctl runbook resume ${id}${allowCommands ? " --allow-commands" : ""}`,
      [Symbol.dispose]: run[Symbol.dispose],
    };
  } catch (error) {
    run[Symbol.dispose]();
    throw error;
  }
}

/** Makes the folder, which is when the run is there. */
function folderOf(
  { input, environment }: Context<BeginFlags>,
  beginning: Beginning,
  inputs: RunHeader["inputs"],
): Promise<OpenRun> {
  const { places, keyed, loaded, id, link, facts, limit, operator } = beginning;
  const { runbook, files } = loaded;
  const { cluster } = facts;
  const header: Omit<RunHeader, "ir" | "v"> = {
    id,
    runbook: runbook.name,
    source: files[0]?.path ?? input.runbook,
    files: Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256])),
    inputs,
    context: link.context,
    cluster: { id: cluster.id, name: cluster.name },
    operator,
    version: release.tag,
    at: environment.now().toISOString(),
    ...(keyed === undefined ? {} : { key: keyed.key }),
    ...(limit === undefined ? {} : { limit }),
  };
  return createRun(places.runs, header, runbook, files, environment.now);
}
