import { sha256Hex } from "../../../lib/sha256.ts";
import type { Json } from "../../../lib/json.ts";
import { writeFileAtomic } from "../../../lib/files/atomic_file.ts";
import { ConfigError, RefusedError } from "../../../errors.ts";
import { release } from "../../../release.ts";
import { restoreCredentials } from "../../ca/credentials.ts";
import type { RunHistory } from "../journal/history.ts";
import { splitKey } from "../journal/resume_state.ts";
import { type LoadedRunbook, loadRunbook } from "../language/loading/load.ts";
import { listLists } from "../language/walk.ts";
import { lockFor, parseLeaseMs } from "../lock/lock_for_run.ts";
import type { RunRow } from "../report/watch_run.ts";
import type { Runbook, Step } from "../runbook.ts";
import { findOperator } from "../store/operator.ts";
import { hasEnded, isResumable } from "../store/run_condition.ts";
import { keepSources, type OpenRun, openRun } from "../store/run_folder.ts";
import { runbookName } from "../store/run_header.ts";
import type { RunPlaces } from "../store/run_paths.ts";
import { openRunVault } from "../store/run_vault.ts";
import { executeRun } from "./execute_run.ts";
import { openOutputFiles } from "./output_files.ts";
import {
  findSteps,
  makeFinders,
  readWhenBack,
  refuseCommands,
  refuseUnsuitable,
} from "./prepare_run.ts";
import { refuseRole } from "./required_role.ts";
import { recordDecisions, type ResumeDecisions } from "./resume_decisions.ts";
import { findReadFiles, hashFiles, refuseChangedFiles } from "./read_files.ts";
import { callSignal, connectRun } from "./run_connection.ts";
import type { RunSession, RunSettings } from "./run_session.ts";
import { resumeCommand } from "./start_run.ts";

interface ResumeOptions extends RunSettings, ResumeDecisions {}

interface ResumedRunPlace {
  readonly places: RunPlaces;
  readonly id: string;
  /** Command to resume it; default `osctl runbook resume`. */
  readonly next?: string;
}

/**
 * Resumes a run.
 *
 * @returns The same as {@linkcode executeRun}.
 * @throws {ConfigError} If the run does not exist, is damaged, belongs to another cluster, or needs another version.
 * @throws {LockedError} If another process runs it, or another run holds the cluster lock.
 * @throws {RefusedError} If it has finished, or runs programs without permission.
 */
export async function* resumeRun(
  session: RunSession,
  options: ResumeOptions,
  { places, id, next = resumeCommand(id, options) }: ResumedRunPlace,
): AsyncGenerator<RunRow> {
  const { environment, clock, note } = session;
  const leaseMs = parseLeaseMs(environment);
  using files = await openOutputFiles(options);
  using opened = await openRun(places.runs, id, environment.now);
  refuseEnded(opened);
  if (options.withRunbook === undefined) refuseUnsuitable(opened.runbook);
  const operator = findOperator(environment);
  const { header, folder } = opened;
  if (header.version !== release.tag) {
    note(`osctl ${header.version} started the run; this is ${release.tag}`);
  }
  if (opened.history.header === "") {
    note(
      "The journal has no hash of header.json; runbook and inputs are those of its first record",
    );
  }
  const { keys } = places;
  const keyFile = options.vaultKey;
  const vault = await openRunVault({ folder, id, keyFile, keys, environment });
  const ended = new AbortController();
  const signal = callSignal(session, ended.signal);
  const to = await session.connect(header.context, signal);
  const created = hasJoined(opened) ? undefined : header.cluster;
  using connection = connectRun({ to, vault, clock, signal, created });
  try {
    await restoreCredentials(connection.ring, vault);
    const facts = await readWhenBack(connection.cluster, session);
    refuseOther(opened, facts.cluster);
    const loaded = await loadOther(session, options);
    const { runbook } = loaded ?? opened;
    const found = await findSteps(
      runbook,
      makeFinders(session, options, connection),
    );
    const known = findReadFiles(
      runbook,
      keptInputs(opened, options),
      found,
    );
    const hashes = {
      ...header.readFiles,
      ...Object.fromEntries(opened.history.files),
    };
    await refuseChangedFiles(header.id, known, hashes, signal);
    using _ = await lockFor(opened.runbook, {
      places,
      cluster: header.cluster.id,
      except: [id],
    });
    const run = loaded === undefined
      ? opened
      : await rebaseRun(opened, loaded, operator);
    if (loaded !== undefined) {
      note(`Run "${id}" continues with "${options.withRunbook}"`);
    }
    refuseRole(runbook, connection.crt);
    refuseCommands(runbook, options.allowCommands);
    const inputs = await recordDecisions(
      run,
      options,
      operator,
      async (inputs) => {
        const files = findReadFiles(runbook, inputs, found);
        return await hashFiles(
          [...files.keys()].filter((path) =>
            !known.has(path) || hashes[path] === undefined
          ),
          signal,
        );
      },
    );
    if (run.torn) {
      note("The last line of the journal was incomplete and has been removed");
    }
    yield* executeRun(session, options, {
      run,
      connection,
      vault,
      found,
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

/** Reports whether a node of the cluster answers, as far as the run knows: always, unless the run creates it. */
export function hasJoined(
  { header: { creates }, history }: Pick<OpenRun, "header" | "history">,
): boolean {
  return creates !== true ||
    [...history.instances.values()].some(({ intent, result }) =>
      intent !== undefined && result?.state === "ok"
    );
}

/** Input values, without those that are changed now. */
function keptInputs(
  { header, history }: OpenRun,
  { set }: ResumeDecisions,
): Readonly<Record<string, Json>> {
  const all = { ...header.inputs, ...Object.fromEntries(history.set) };
  for (const word of set) delete all[word.split("=", 1)[0] ?? ""];
  return all;
}

/** Loads the runbook that replaces the one of the run, if one is given. */
async function loadOther(
  { load }: RunSession,
  { withRunbook }: ResumeOptions,
): Promise<LoadedRunbook | undefined> {
  if (withRunbook === undefined) return undefined;
  const loaded = await loadRunbook(withRunbook, load);
  refuseUnsuitable(loaded.runbook);
  return loaded;
}

function refuseEnded(run: OpenRun): void {
  const { header: { id }, history } = run;
  if (isResumable(run)) return;
  throw new RefusedError(`Run "${id}" has ended: ${history.end?.state}`, {
    hint: `Show it with: osctl runbook status ${id}`,
  });
}

interface ClusterName {
  readonly id: string;
  readonly name: string;
}

function formatCluster({ id, name }: ClusterName): string {
  return id === "" ? `"${name}"` : `"${name}" (ID ${id.slice(0, 8)}…)`;
}

function refuseOther(
  { header: { id, cluster } }: OpenRun,
  found: ClusterName,
): void {
  if (found.id === cluster.id) return;
  if (cluster.id === "") {
    throw new ConfigError(
      `Run "${id}" does not record its cluster`,
      { hint: `Abort it with: osctl runbook abort ${id} --reason "…"` },
    );
  }
  // A cluster that was created again has the same name.
  throw new ConfigError(
    `Run "${id}" is for cluster ${
      formatCluster(cluster)
    }, but these nodes belong to ${formatCluster(found)}`,
    {
      hint: "Choose the context with --context",
      alternatives: [
        `If that cluster is gone: osctl runbook abort ${id} --reason "cluster is gone"`,
      ],
    },
  );
}

/**
 * Replaces the runbook of a run.
 *
 * @param loaded The new runbook, and its files.
 * @returns The updated run.
 * @throws {RefusedError} If a started step is missing or differs, or an input is missing.
 */
export async function rebaseRun(
  run: OpenRun,
  { runbook, files }: LoadedRunbook,
  operator: string,
): Promise<OpenRun> {
  refuseOtherSteps(run, runbook);
  refuseMissing(run, runbook);
  const text = JSON.stringify(runbook);
  const ir = await sha256Hex(text);
  const { folder, history, journal } = run;
  await keepSources(folder, files, ir.slice(0, 8));
  // The file exists before the journal refers to it.
  await writeFileAtomic(`${folder}/${runbookName(ir)}`, text);
  const hashes = files.map(({ path, sha256 }) => [path, sha256]);
  const record = await journal.append({
    type: "rebase",
    data: { ir, files: Object.fromEntries(hashes), by: operator },
  });
  history.add(record);
  return { ...run, runbook };
}

function refuseOtherSteps(run: OpenRun, next: Runbook): void {
  const before = collectKinds(run.runbook);
  const after = collectKinds(next);
  for (const path of startedStepsIn(run.history)) {
    const was = before.get(path);
    const is = after.get(path);
    // Records without a step do not count, such as overridden rules.
    if (was === undefined || was === is) continue;
    const what = is === undefined ? "it was removed" : `it is ${is} now`;
    throw new RefusedError(
      `Cannot resume with the other runbook: step "${path}" was started as ${was}, and ${what}`,
      { hint: "Keep id, verb and module of steps that have started" },
    );
  }
}

function refuseMissing({ header }: OpenRun, { inputs }: Runbook): void {
  for (const [name, { required, initial }] of Object.entries(inputs)) {
    const isThere = initial !== undefined || required !== true ||
      header.inputs[name] !== undefined;
    if (isThere) continue;
    throw new RefusedError(
      `Cannot resume with the other runbook: the run has no value for input "${name}"`,
      { hint: "Give the input a default" },
    );
  }
}

function startedStepsIn(history: RunHistory): ReadonlySet<string> {
  const { instances, nodes, groups, decisions, approvals } = history;
  const keys = [instances, nodes, groups, decisions, approvals]
    .flatMap((map) => [...map.keys()]);
  return new Set(keys.map((key) => splitKey(key).path));
}

/** Kind of each step: its verb, and its module or name, if any. */
function collectKinds(runbook: Runbook): ReadonlyMap<string, string> {
  return new Map(kindsIn([runbook.steps, runbook.rescue, runbook.always], ""));
}

function* kindsIn(
  lists: readonly (readonly Step[])[],
  above: string,
): Generator<readonly [path: string, kind: string]> {
  for (const step of lists.flat()) {
    const path = above === "" ? step.id : `${above}/${step.id}`;
    yield [path, findKind(step)];
    yield* kindsIn(
      step.verb === "use"
        ? [step.runbook.steps, step.runbook.rescue, step.runbook.always]
        : listLists(step),
      path,
    );
  }
}

function findKind(step: Step): string {
  switch (step.verb) {
    case "run":
      return `run ${step.module}`;
    case "decide":
      return `decide ${step.name}`;
    case "approve":
      return `approve ${step.tag}`;
    default:
      return step.verb;
  }
}
