/** What a run is started with, checked before anything is sent, and before anything is changed. */

import { ConfigError, RefusedError, TimeoutError } from "../../../errors.ts";
import { release } from "../../../release.ts";
import { commandName } from "../../modules/command.ts";
import { programRunner } from "../../modules/run_program.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { RunCluster } from "../engine/run_cluster.ts";
import { type LoadedRunbook, loadRunbook } from "../language/loading/load.ts";
import { findAll, type Finders, type FoundNames } from "../language/lookup.ts";
import type { ResolvedInputs } from "../language/resolve_inputs.ts";
import { inRange } from "../language/version_range.ts";
import { allSteps } from "../language/walk.ts";
import { groupsAtStart, type RunStart } from "../plan/groups_now.ts";
import { readPlan, refuseUnlike } from "../plan/reviewed_plan.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import { makeHandles } from "../store/run_vault.ts";
import { type GivenInputs, resolveGiven } from "./given_inputs.ts";
import { parseLimit } from "./node_limit.ts";
import { refuseRole } from "./required_role.ts";
import type { RunConnection } from "./run_connection.ts";
import type { RunSession, RunSettings } from "./run_session.ts";

/** What is run, and how. */
export interface RunRequest extends RunSettings, GivenInputs {
  readonly runbook: string;
  /** Nodes, or conditions over `node`, that the run is limited to; empty for all. */
  readonly limit: readonly string[];
  /** File of a plan that must still hold. */
  readonly plan?: string | undefined;
  /** Unfinished run whose place is taken. */
  readonly supersede: string | undefined;
}

/** A runbook with its inputs. */
export interface PreparedRun {
  readonly loaded: LoadedRunbook;
  readonly given: ResolvedInputs;
  readonly plan: Awaited<ReturnType<typeof readPlan>> | undefined;
}

/**
 * Reads what a run is started with; nothing is sent.
 *
 * @throws {ConfigError} If runbook, inputs or plan are wrong.
 * @throws {RefusedError} If it runs programs, and that is not allowed.
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
    environment,
    signal,
  });
  const plan = options.plan === undefined
    ? undefined
    : await readPlan(options.plan);
  return { loaded, given, plan };
}

/** A cluster, as a run finds it. */
export interface ExaminedCluster {
  readonly facts: Facts;
  readonly found: FoundNames;
  /** Nodes the run is limited to; absent when it is not. */
  readonly limit?: readonly string[];
}

/**
 * Checks whether a cluster fits what a run is started with.
 *
 * @throws {ConfigError} If there are no such nodes.
 * @throws {RefusedError} If the certificate lacks the role, or what a plan is based on has changed.
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
    ...(limit === undefined ? {} : { limit: new Set(limit) }),
  };
  await groupsAtStart(beginnings);
  if (plan !== undefined) await refuseUnlike(plan, beginnings);
  return { facts, found, ...(limit === undefined ? {} : { limit }) };
}

/** Steps over the nodes of a run; programs run where that is allowed. */
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

/** Finds the modules that a runbook and those it uses name. */
export function findSteps(
  runbook: Runbook,
  finders: Finders,
): Promise<FoundNames> {
  const { steps, rescue, always } = runbook;
  const names = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
  return findAll(names, finders);
}

/** Times a cluster is asked who it is, and the time between in milliseconds. */
const asked = { times: 3, everyMs: 1_000 };

/**
 * Reads a cluster until it says who it is: a run that does not know could never be resumed, and would lock out no other.
 *
 * @throws {TimeoutError} If no node says it, several times.
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

/**
 * Refuses a runbook that runs programs on this machine, unless that is allowed.
 *
 * @param runbook The runbook; those it uses count as well.
 * @throws {RefusedError} Naming the programs.
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
 * Refuses what cannot be run by itself, or with this client.
 *
 * @throws {ConfigError} If it is about one node, or needs another version.
 */
export function refuseUnsuitable({ name, per, requires }: Runbook): void {
  if (per === "node") {
    throw new ConfigError(
      `Runbook "${name}" works on one node and can only be used in other runbooks`,
      { hint: "Use it in a forEach of another runbook" },
    );
  }
  const range = requires.osctl;
  // A build on the way to a version counts as that version.
  const version = release.tag.replace(/-.*/, "");
  if (range === undefined || inRange(version, range)) return;
  throw new ConfigError(
    `Runbook "${name}" needs osctl ${range}, and this is ${release.tag}`,
    { hint: "Install a matching version of osctl" },
  );
}
