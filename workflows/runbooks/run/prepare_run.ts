/** What a run is begun with, looked at before anything is sent, and before anything is changed. */

import { ConfigError, RefusedError, TimeoutError } from "../../../errors.ts";
import { commandName } from "../../modules/command.ts";
import { programRunner, type RunProgram } from "../../modules/run_program.ts";
import type { OperationClock } from "../../operations/operation.ts";
import { type Loaded, loadRunbook } from "../language/load.ts";
import type { Found } from "../language/lookup.ts";
import type { ResolvedInputs } from "../language/resolve_inputs.ts";
import { allSteps } from "../language/walk.ts";
import { inRange } from "../language/version_range.ts";
import { type Beginnings, beginNow } from "../plan/groups_now.ts";
import { readPlan } from "../plan/read_plan.ts";
import type { Facts } from "../read_facts.ts";
import type { Runbook } from "../runbook.ts";
import type { Context } from "../../../commands/_kit/mod.ts";
import { clockOf } from "../../../commands/_kit/operate.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { release } from "../../../release.ts";
import {
  type InputFlags,
  inputsOf,
} from "../../../commands/runbook/_flags/input_flags.ts";
import { loadOptions } from "../../../commands/runbook/_load.ts";
import { refuseUnlike } from "../plan/reviewed_plan.ts";
import { findIn } from "./find_in.ts";
import { limitOf } from "./node_limit.ts";
import type { Link } from "./run_connection.ts";
import { refuseRole } from "./required_role.ts";
import { handlesOf } from "../store/run_vault.ts";

/** Flags that say what is run. */
export interface PrepareFlags extends InputFlags {
  /** File or builtin runbook. */
  readonly runbook: string;
  /** `--limit`. */
  readonly limit: readonly string[];
  /** `--plan`. */
  readonly plan?: string | undefined;
  /** `--allow-commands`. */
  readonly allowCommands: boolean;
}

/** What a run is begun with. */
export interface Prepared {
  /** The runbook, and its files. */
  readonly loaded: Loaded;
  /** Values of its inputs. */
  readonly given: ResolvedInputs;
  /** Plan it is bound to. */
  readonly plan: Awaited<ReturnType<typeof readPlan>> | undefined;
}

/**
 * Reads what a run is begun with; nothing is sent.
 *
 * @param context Flags and environment.
 * @throws {ConfigError} If runbook, inputs or plan are wrong.
 * @throws {RefusedError} If it runs programs, and nobody has allowed that.
 */
export async function prepare(
  context: Context<PrepareFlags>,
): Promise<Prepared> {
  const { input } = context;
  const loaded = await loadRunbook(input.runbook, loadOptions(context));
  refuseHere(loaded.runbook);
  refuseCommands(loaded.runbook, input.allowCommands);
  const given = await inputsOf(loaded.runbook, context);
  const plan = input.plan === undefined
    ? undefined
    : await readPlan(input.plan);
  return { loaded, given, plan };
}

/** The cluster, as a run finds it. */
export interface Looked {
  /** The cluster. */
  readonly facts: Facts;
  /** What the runbooks name. */
  readonly found: Found;
  /** Nodes the run is limited to; absent when it is not. */
  readonly limit?: readonly string[];
}

/**
 * Looks whether a cluster fits what a run is begun with.
 *
 * @param prepared What it is begun with.
 * @param context Flags and environment.
 * @param link The cluster.
 * @throws {ConfigError} If there are no such nodes.
 * @throws {RefusedError} If the certificate has not the role, or what a plan rests on has changed.
 */
export async function look(
  { loaded: { runbook }, given, plan }: Prepared,
  context: Context<PrepareFlags>,
  link: Link,
): Promise<Looked> {
  refuseRole(runbook, link.crt);
  const clock = clockOf(context.environment);
  const { now } = clock;
  const facts = await readKnown(link.cluster, clock);
  const limit = limitOf(context.input.limit, { facts, runbook, now });
  const found = await findIn(
    runbook,
    { ...context, programs: programsOf(context.input, context.environment) },
    link,
  );
  const beginnings: Beginnings = {
    runbook,
    inputs: { ...given.values, ...handlesOf(given.secrets.keys()) },
    facts,
    found,
    now,
    ...(limit === undefined ? {} : { limit: new Set(limit) }),
  };
  await beginNow(beginnings);
  if (plan !== undefined) await refuseUnlike(plan, beginnings);
  return { facts, found, ...(limit === undefined ? {} : { limit }) };
}

/** Times a cluster is asked who it is, and the time between in milliseconds. */
const asked = { times: 3, everyMs: 1_000 };

/**
 * Reads a cluster until it says who it is: a run that does not know could never be resumed, and held up no other.
 *
 * @param cluster The cluster.
 * @param clock Time.
 * @throws {TimeoutError} If no node says it, several times.
 */
export async function readKnown(
  cluster: Pick<Link["cluster"], "readFacts">,
  clock: OperationClock,
): Promise<Facts> {
  for (let times = 1;; times++) {
    const facts = await cluster.readFacts();
    if (facts.cluster.id !== "") return facts;
    if (times === asked.times) break;
    await clock.sleep(asked.everyMs);
  }
  throw new TimeoutError("No node says which cluster it belongs to", {
    hint: "Nothing was begun; look at the nodes with: osctl health",
  });
}

/** What runs programs, where the operator allows it. */
export function programsOf(
  { allowCommands }: Pick<PrepareFlags, "allowCommands">,
  { env }: Pick<Environment, "env">,
): RunProgram | undefined {
  return allowCommands ? programRunner(env) : undefined;
}

/**
 * Refuses a runbook that runs programs on this machine, unless the operator allows it.
 *
 * @param runbook The runbook; those it uses count as well.
 * @param allowed Whether it is allowed.
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
 * Refuses what cannot be carried out by itself, or with this client.
 *
 * @param runbook The runbook.
 * @throws {ConfigError} If it is about one node, or needs another version.
 */
export function refuseHere({ name, per, requires }: Runbook): void {
  if (per === "node") {
    throw new ConfigError(
      `Runbook "${name}" is about one node and is only used inside of others`,
      { hint: "Use it in a forEach of another runbook" },
    );
  }
  const range = requires.osctl;
  // A build on the way to a version counts as that version.
  const version = release.tag.replace(/-.*/, "");
  if (range === undefined || inRange(version, range)) return;
  throw new ConfigError(
    `Runbook "${name}" needs osctl ${range}, and this is ${release.tag}`,
    { hint: "Use another version of osctl" },
  );
}
