/** Starts runs: makes the folder of a run from a runbook and inputs, and executes it. */

import { ConfigError, LockedError, RefusedError } from "../../../errors.ts";
import { release } from "../../../release.ts";
import type { OpenVault } from "../../vault/vault.ts";
import { residueList } from "../journal/residue.ts";
import { lockFor, parseLeaseMs } from "../lock/lock_for_run.ts";
import type { RunRow } from "../report/watch_run.ts";
import { abortRun } from "../store/abort_run.ts";
import { findRun } from "../store/find_run.ts";
import { findOperator } from "../store/operator.ts";
import { hasEnded, isUnfinished, listInDoubt } from "../store/run_condition.ts";
import {
  createRun,
  type ListedRun,
  makeRunFolder,
  newRunId,
  readRun,
} from "../store/run_folder.ts";
import { removeUnmade } from "../store/remove_run.ts";
import type { RunHeader } from "../store/run_header.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import { keepSecrets, openRunVault } from "../store/run_vault.ts";
import { askStart } from "./confirm_start.ts";
import { executeRun } from "./execute_run.ts";
import { openOutputFiles } from "./output_files.ts";
import {
  examineCluster,
  type ExaminedCluster,
  type PreparedRun,
  prepareRun,
  type RunRequest,
} from "./prepare_run.ts";
import { findReadFiles, hashFiles } from "./read_files.ts";
import { callSignal, connectRun } from "./run_connection.ts";
import type { RunSession } from "./run_session.ts";

interface NewRunPlace {
  readonly places: RunPlaces;
  /** Key of an external workflow engine, and the command that resumes the run. */
  readonly keyed?: { readonly key: string; readonly next: string };
}

/**
 * Starts a run, and executes it until it stops or finishes.
 *
 * @returns The same as {@linkcode executeRun}.
 * @throws {ConfigError} If the runbook, inputs or files are invalid; nothing was sent.
 * @throws {LockedError} If another run holds the cluster lock.
 * @throws {RefusedError} If the certificate lacks the role, or facts of the plan have changed.
 */
export async function* startRun(
  session: RunSession,
  options: RunRequest,
  place: NewRunPlace,
): AsyncGenerator<RunRow> {
  const { environment, clock, note } = session;
  const { runs } = place.places;
  const prepared = await prepareRun(session, options);
  const { runbook } = prepared.loaded;
  const leaseMs = parseLeaseMs(environment);
  using files = await openOutputFiles(options);
  const ended = new AbortController();
  const signal = callSignal(session, ended.signal);
  let vault: OpenVault | undefined;
  using connection = connectRun({
    to: await session.connect(undefined, signal),
    vault: {
      read(handle) {
        if (vault === undefined) throw new TypeError("There is no vault yet");
        return vault.read(handle);
      },
    },
    clock,
    signal,
    created: session.created,
  });
  try {
    const cluster = await examineCluster(
      prepared,
      session,
      options,
      connection,
    );
    const { facts, found } = cluster;
    await askStart(runbook, cluster, options, session);
    const id = newRunId(environment.now());
    const old = options.supersede === undefined
      ? undefined
      : await findRun(runs, options.supersede);
    const operator = findOperator(environment);
    using _ = await lockFor(runbook, {
      places: place.places,
      cluster: facts.cluster.id,
      except: [old],
    });
    if (old !== undefined) {
      const { now } = environment;
      const about = { old, by: id, cluster: facts.cluster.id, operator };
      await supersede({ runs, ...about, now, note });
    }
    const made = await makeRun({ prepared, cluster, options, place }, {
      ...{ id, operator, environment, signal, context: connection.context },
      ...session.created !== undefined && { creates: true },
    });
    vault = made.vault;
    const { inputs } = made;
    using run = made.run;
    note(`Run ${id} in ${run.folder}`);
    yield* executeRun(session, options, {
      run,
      connection,
      vault,
      facts,
      inputs,
      clock,
      operator,
      supersede: old,
      found,
      hasEnded: (id) => hasEnded(runs, id),
      leaseMs,
      next: place.keyed?.next ?? resumeCommand(id, options),
    }, files);
  } finally {
    ended.abort();
  }
}

interface RunSources {
  readonly prepared: PreparedRun;
  readonly cluster: ExaminedCluster;
  readonly options: RunRequest;
  readonly place: NewRunPlace;
}

/** Makes the folder of a run with its vault; removes it on failure, as on a full disk. */
async function makeRun(
  { prepared, cluster, options, place }: RunSources,
  { environment, signal, ...known }:
    & Pick<RunHeader, "id" | "operator" | "context" | "creates">
    & Pick<RunSession, "environment" | "signal">,
) {
  const { places: { runs, keys } } = place;
  const { id } = known;
  const folder = await makeRunFolder(runs, id);
  try {
    const keyFile = options.vaultKey;
    const vault = await openRunVault({
      folder,
      id,
      keyFile,
      keys,
      environment,
    });
    const inputs = {
      ...prepared.given.values,
      ...await keepSecrets(vault, prepared.given.secrets),
    };
    const { runbook } = prepared.loaded;
    const files = findReadFiles(runbook, inputs, cluster.found);
    const readFiles = await hashFiles(files.keys(), signal);
    const header = makeHeader(prepared, cluster, options, place, {
      ...known,
      inputs,
      readFiles,
    });
    const run = await createRun(
      runs,
      { ...header, at: environment.now().toISOString() },
      prepared.loaded.runbook,
      prepared.loaded.files,
      environment.now,
    );
    return { vault, inputs, run };
  } catch (error) {
    await removeUnmade({ folder, keyFile: `${keys}/${id}` });
    throw error;
  }
}

/** Command that resumes a run. */
export function resumeCommand(
  id: string,
  { allowCommands }: Pick<RunRequest, "allowCommands">,
): string {
  return `osctl runbook resume ${id}${
    allowCommands ? " --allow-commands" : ""
  }`;
}

function makeHeader(
  { loaded: { runbook, files } }: PreparedRun,
  { facts: { cluster }, limit }: ExaminedCluster,
  options: RunRequest,
  { keyed }: NewRunPlace,
  known: Pick<
    RunHeader,
    "id" | "inputs" | "readFiles" | "operator" | "context" | "creates"
  >,
): Omit<RunHeader, "ir" | "v" | "at"> {
  return {
    ...known,
    runbook: runbook.name,
    source: files[0]?.path ?? options.runbook,
    files: Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256])),
    cluster: { id: cluster.id, name: cluster.name },
    version: release.tag,
    ...(keyed === undefined ? {} : { key: keyed.key }),
    ...(limit === undefined ? {} : { limit }),
  };
}

interface SupersedeOptions {
  readonly runs: string;
  readonly old: string;
  readonly by: string;
  /** Id of their cluster. */
  readonly cluster: string;
  readonly operator: string;
  readonly now: () => Date;
  readonly note: (text: string) => void;
}

/**
 * Closes a run, unless an operation that it has sent may still be in progress.
 *
 * @throws {ConfigError} If the run does not exist, or belongs to another cluster.
 * @throws {LockedError} If another process runs it.
 * @throws {RefusedError} If a step is in doubt.
 */
export async function supersede(superseding: SupersedeOptions): Promise<void> {
  const { runs, old, by, operator, now, note } = superseding;
  const run = await readRun(runs, old);
  refuseOther(run, superseding);
  if (run.history.start !== undefined && !isUnfinished(run)) return;
  if (run.held) {
    throw new LockedError(`Run "${old}" is running in another process`, {
      hint: `Stop it with: osctl runbook stop ${old}`,
    });
  }
  refuseDoubts(run, superseding);
  for (const { message } of residueList(run.history.residue)) {
    note(`Run "${old}" left on nodes: ${message}`);
  }
  await abortRun({
    runs,
    id: old,
    now,
    sender: {
      by: operator,
      at: now().toISOString(),
      reason: `run "${by}" supersedes it`,
    },
  });
}

function refuseOther(
  { header }: ListedRun,
  { old, cluster }: SupersedeOptions,
): void {
  if (header.cluster.id === cluster) return;
  throw new ConfigError(
    `Cannot supersede run "${old}": it is for cluster "${header.cluster.name}"`,
    { hint: "Choose the context with --context" },
  );
}

function refuseDoubts({ history }: ListedRun, { old }: SupersedeOptions): void {
  const doubts = listInDoubt(history);
  if (doubts.length === 0) return;
  const places = doubts.map(({ step, node }) =>
    node === undefined ? step : `${step}@${node}`
  );
  throw new RefusedError(
    `Cannot supersede run "${old}": results are unknown: ${places.join(", ")}`,
    { hint: `Resolve them with: osctl runbook resume ${old}` },
  );
}
