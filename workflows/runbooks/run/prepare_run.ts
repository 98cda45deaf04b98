/** Checks before a run: of its options before anything is sent, and of the cluster before anything is changed. */

import { ConfigError, RefusedError, TimeoutError } from "../../../errors.ts";
import { release } from "../../../release.ts";
import { commandName } from "../../modules/command.ts";
import { programRunner } from "../../../lib/run_program.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { RunCluster } from "../engine/run_cluster.ts";
import { type LoadedRunbook, loadRunbook } from "../language/loading/load.ts";
import { findAll, type Finders, type FoundNames } from "../language/lookup.ts";
import type { ResolvedInputs } from "../language/resolve_inputs.ts";
import { poll } from "../../../lib/poll.ts";
import { failureKind } from "../../../transport/call/retryable.ts";
import { formatMessage } from "../engine/failure.ts";
import { inRange } from "../language/version_range.ts";
import { allSteps } from "../language/walk.ts";
import { groupsAtStart, type RunStart } from "../plan/initial_groups.ts";
import { readPlan, refuseUnlike } from "../plan/reviewed_plan.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import { makeHandles } from "../store/run_vault.ts";
import { type GivenInputs, resolveGiven } from "./given_inputs.ts";
import { parseLimit } from "./node_limit.ts";
import { refuseRole } from "./required_role.ts";
import type { RunConnection } from "./run_connection.ts";
import type { RunSession, RunSettings } from "./run_session.ts";

/** Runbook and options of a run. */
export interface RunRequest extends RunSettings, GivenInputs {
  readonly runbook: string;
  /** Nodes, or conditions over `node`, to limit the run to; empty for all. */
  readonly limit: readonly string[];
  /** Secret inputs that the program has, by name. */
  readonly secretValues?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** Plan file that must still be valid. */
  readonly plan?: string | undefined;
  /** Unfinished run to supersede. */
  readonly supersede: string | undefined;
}

/** A runbook with its inputs. */
export interface PreparedRun {
  readonly loaded: LoadedRunbook;
  readonly given: ResolvedInputs;
  readonly plan: Awaited<ReturnType<typeof readPlan>> | undefined;
}

/**
 * Loads the runbook and inputs of a run; nothing is sent.
 *
 * @throws {ConfigError} If the runbook, inputs or plan are invalid.
 * @throws {RefusedError} If it runs programs without permission.
 */
export async function prepareRun(
  { load, environment, signal }: RunSession,
  options: RunRequest,
): Promise<PreparedRun> {
  const loaded = await loadRunbook(options.runbook, load);
  refuseUnsuitable(loaded.runbook);
  refuseCommands(loaded.runbook, options.allowCommands);
  const given = await resolveGiven(loaded.runbook, {
    given: options,
    secretValues: options.secretValues,
    environment,
    signal,
  });
  const plan = options.plan === undefined
    ? undefined
    : await readPlan(options.plan);
  return { loaded, given, plan };
}

/** A cluster at the start of a run. */
export interface ExaminedCluster {
  readonly facts: Facts;
  readonly found: FoundNames;
  /** Nodes the run is limited to; absent without a limit. */
  readonly limit?: readonly string[];
}

/**
 * Checks whether a cluster fits the options of a run.
 *
 * @throws {ConfigError} If nodes do not exist.
 * @throws {RefusedError} If the certificate lacks the role, or facts of the plan have changed.
 */
export async function examineCluster(
  { loaded: { runbook }, given, plan }: PreparedRun,
  session: RunSession,
  options: RunRequest,
  connection: RunConnection,
): Promise<ExaminedCluster> {
  refuseRole(runbook, connection.crt);
  const { clock } = session;
  const facts = await readKnown(connection.cluster, clock);
  const limit = parseLimit(options.limit, { facts, runbook, now: clock.now });
  const found = await findSteps(
    runbook,
    makeFinders(session, options, connection),
  );
  const beginnings: RunStart = {
    runbook,
    inputs: { ...given.values, ...makeHandles(given.secrets.keys()) },
    facts,
    found,
    now: clock.now,
    limit: limit && new Set(limit),
  };
  await groupsAtStart(beginnings);
  if (plan !== undefined) await refuseUnlike(plan, beginnings);
  return { facts, found, limit };
}

/** Makes the finders of modules and checks for a run; programs run where allowed. */
export function makeFinders(
  { steps, environment }: Pick<RunSession, "steps" | "environment">,
  { allowCommands }: Pick<RunSettings, "allowCommands">,
  { nodes }: Pick<RunConnection, "nodes">,
): Finders {
  return steps({
    nodes,
    programs: allowCommands ? programRunner(environment.env) : undefined,
  });
}

/** Finds the modules of a runbook and of those it uses. */
export function findSteps(
  runbook: Runbook,
  finders: Finders,
): Promise<FoundNames> {
  const { steps, rescue, always } = runbook;
  const names = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
  return findAll(names, finders);
}

/** Attempts to read the id of a cluster, and the time between them in milliseconds. */
const asked = { times: 3, everyMs: 1_000 };

/**
 * Reads a cluster until its id is known: a run without it could never be resumed, and its lock would be useless.
 *
 * @throws {TimeoutError} If no node reports it, after several attempts.
 */
export async function readKnown(
  cluster: Pick<RunCluster, "readFacts">,
  clock: OperationClock,
): Promise<Facts> {
  for (let times = 1;; times++) {
    const facts = await cluster.readFacts();
    if (facts.cluster.id !== "") return facts;
    if (times === asked.times) break;
    await clock.sleep(asked.everyMs);
  }
  throw new TimeoutError("No node reported its cluster", {
    hint: "Nothing was started; check the nodes with: osctl health",
  });
}

/** Maximum wait for nodes that the run may have left booting, in milliseconds. */
const patienceMs = 300_000;

/**
 * Reads a cluster like {@linkcode readKnown}, for a run that is resumed: waits until an endpoint answers.
 *
 * @throws {OsctlError} If none answers for five minutes, or at once if waiting does not help.
 */
export async function readWhenBack(
  cluster: Pick<RunCluster, "readFacts">,
  { clock, signal, note }: Pick<RunSession, "clock" | "signal" | "note">,
): Promise<Facts> {
  let isNoted = false;
  for await (const waitedMs of poll({ clock, signal }, { everyMs: 2_000 })) {
    try {
      return await readKnown(cluster, clock);
    } catch (error) {
      if (failureKind(error) !== "away" || waitedMs >= patienceMs) throw error;
      if (!isNoted) {
        note(`Waiting up to 5m for the nodes: ${formatMessage(error)}`);
      }
      isNoted = true;
    }
  }
  throw signal.reason;
}

/**
 * Refuses a runbook that runs programs on this machine, unless allowed.
 *
 * @param runbook The runbook; those it uses count as well.
 * @throws {RefusedError} Listing the programs.
 */
export function refuseCommands(runbook: Runbook, allowed: boolean): void {
  if (allowed) return;
  const { name, steps, rescue, always } = runbook;
  const programs = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) =>
      step.verb === "run" && step.module === commandName
        ? [`"${step.with.program}"`]
        : []
    );
  if (programs.length === 0) return;
  const named = [...new Set(programs)].join(", ");
  throw new RefusedError(
    `Runbook "${name}" runs programs on this machine: ${named}`,
    { hint: "Allow them with --allow-commands" },
  );
}

/**
 * Refuses runbooks that cannot run on their own, or with this client.
 *
 * @throws {ConfigError} If it is `per: node`, or needs another version.
 */
export function refuseUnsuitable({ name, per, requires }: Runbook): void {
  if (per === "node") {
    throw new ConfigError(
      `Runbook "${name}" works on one node and can only be used in other runbooks`,
      { hint: "Use it in a forEach of another runbook" },
    );
  }
  const range = requires.osctl;
  // A pre-release counts as its version.
  const version = release.tag.replace(/-.*/, "");
  if (range === undefined || inRange(version, range)) return;
  throw new ConfigError(
    `Runbook "${name}" needs osctl ${range}, and this is ${release.tag}`,
    { hint: "Install a matching version of osctl" },
  );
}
