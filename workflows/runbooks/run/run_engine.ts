/** The engine of a run, under the lock on its cluster, with its journal and its secrets. */

import { checks } from "../../checks/all.ts";
import type { Check } from "../../checks/check.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { OperationClock } from "../../operations/operation.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { EngineOptions } from "../engine/engine_options.ts";
import { type RunEnd, runRunbook } from "../engine/run.ts";
import { groupKey, type InstanceHistory } from "../journal/history.ts";
import type { KeptJournal, RunJournal } from "../journal/writer.ts";
import type { Found } from "../language/lookup.ts";
import { createClusterLock } from "../lock/cluster_lock.ts";
import type { ClusterLock } from "../lock/cluster_lock_types.ts";
import { isUnfinished } from "../store/run_condition.ts";
import type { Vault } from "../module.ts";
import { beginNow } from "../plan/groups_now.ts";
import type { Facts } from "../read_facts.ts";
import { plannedStages } from "../report/planned_stages.ts";
import { mayClaim } from "../store/abort_run.ts";
import { artifactsIn, type OpenRun } from "../store/run_folder.ts";
import { hideInJournal } from "./journal_masking.ts";
import type { RunConnection } from "./run_connection.ts";
import { followed, tellLease, toldVault } from "./run_notices.ts";

/** A run that a process runs. */
export interface ActiveRun {
  /** Its folder, open. */
  readonly run:
    & Pick<OpenRun, "folder" | "header" | "runbook" | "history">
    & {
      /** Where it is written down. */
      readonly journal: KeptJournal;
    };
  /** Its cluster. */
  readonly connection: Pick<
    RunConnection,
    "ring" | "view" | "cluster" | "fence"
  >;
  /** Its secrets. */
  readonly vault: Vault & Pick<OpenVault, "masker" | "destroyKey">;
  /** What its runbooks name. */
  readonly found: Found;
  /** The cluster, read for it. */
  readonly facts: Facts;
  /** Values of the inputs, as they are now. */
  readonly inputs: OpenRun["header"]["inputs"];
  /** Time. */
  readonly clock: OperationClock;
  /** Who runs it: user and host. */
  readonly operator: string;
  /** Command that resumes it. */
  readonly next: string;
  /** Run whose claim on the cluster is taken over. */
  readonly supersede?: string | undefined;
  /** Whether another run of this machine has ended; default none is known to have. */
  readonly hasEnded?: (run: string) => Promise<boolean>;
  /** How long its lock lasts without being renewed, in milliseconds; default 60 s. */
  readonly leaseMs?: number | undefined;
  /** Checks by name; default all. */
  readonly checks?: ReadonlyMap<string, Check>;
  /** A random number from 0 to 1; default another one each time. */
  readonly random?: () => number;
  /** Files the run has made; default those in its folder. */
  readonly artifacts?: () => Promise<readonly string[]>;
}

/** Who watches a run, stops it, and answers its questions. */
export type RunControl = Pick<
  EngineOptions,
  "tell" | "stop" | "ask" | "parallel"
>;

/**
 * Runs the engine until the run ends, for now or for good; then releases the cluster.
 *
 * @throws {HeldError} If another run has the cluster.
 */
export async function runEngine(
  active: ActiveRun,
  control: RunControl,
): Promise<RunEnd> {
  const { run, vault, connection, found, inputs, clock, operator } = active;
  const { runbook, history, folder, header } = run;
  const { id, files, ir, limit } = header;
  const modules = new Set(history.modules);
  const journal = followed(
    hideInJournal(run.journal, vault.masker.mask),
    modules,
  );
  const allowed = new Set<Allowance>();
  const lock = lockOf(active, control, journal, allowed);
  const locks = runbook.policy.lock === "cluster";
  if (locks) {
    await lock.look();
    connection.fence.close(lock.confirm);
  }
  let finished = false;
  try {
    if (locks) await lock.reclaim();
    await tellPlan(active, control);
    const end = await runRunbook({
      ...control,
      run: id,
      runbook,
      inputs,
      clock,
      random: active.random ?? Math.random,
      cluster: connection.cluster,
      firstFacts: active.facts,
      start: { files, ir, operator, inputs },
      artifacts: active.artifacts ?? (() => artifactsIn(folder)),
      found,
      checks: active.checks ?? checks,
      journal,
      history,
      allowed,
      lock: locks ? lock : { ensure: () => Promise.resolve(undefined) },
      room: {
        artifacts: `${folder}/artifacts`,
        vault: toldVault(vault, journal, control),
        ring: connection.ring,
      },
      ...(limit === undefined ? {} : { limit: new Set(limit) }),
    });
    finished = !isUnfinished({
      history: { ...history, start: {}, end: { state: end.state } },
    });
    // Without its key the folder of a run that has succeeded may be given to anyone.
    const isExported = vault.names().length === 0 ||
      modules.has("vault.export");
    if (end.state === "succeeded" && isExported) await vault.destroyKey();
    return end;
  } finally {
    await lock.release(finished);
  }
}

function lockOf(
  active: ActiveRun,
  { tell, stop }: RunControl,
  journal: RunJournal,
  allowed: ReadonlySet<Allowance>,
): ClusterLock {
  const { run, connection, operator, supersede, leaseMs, hasEnded } = active;
  const { header: { id }, runbook, history } = run;
  const needed = runbook.requires.needs.includes("kubernetes");
  return createClusterLock({
    kubernetes: connection.view.kubernetes,
    run: id,
    operator,
    clock: active.clock,
    // Where an earlier process had it, another one may have it now.
    needed: needed || mayClaim(history),
    // Without a quorum there is nothing in which it could be kept.
    excused: () => !needed && allowed.has("etcd-quorum"),
    journal: run.journal,
    signal: stop.soft,
    ...(leaseMs === undefined ? {} : { lastsMs: leaseMs }),
    ...(hasEnded === undefined ? {} : { hasEnded }),
    claimed: history.lease !== undefined,
    ...(supersede === undefined ? {} : { supersede }),
    async record(details) {
      await journal.append({ t: "lease", d: details });
      tellLease({ tell }, details, `${id} @ ${operator}`);
    },
    note: (message) => tell("note", { data: { message } }),
  });
}

async function tellPlan(
  active: ActiveRun,
  { tell }: RunControl,
): Promise<void> {
  const { runbook, header, history } = active.run;
  const nodesOf = await frozenGroups(active);
  tell("run.planned", {
    data: {
      runbook: runbook.name,
      title: runbook.title,
      cluster: header.cluster.name,
      stages: plannedStages(
        runbook,
        nodesOf,
        (path) => endedBefore(history.instances.get(path)),
      ),
    },
  });
}

/** Nodes of groups that stay as they were when the run was started. */
async function frozenGroups(
  { run, inputs, facts, found, clock }: ActiveRun,
): Promise<(group: string) => readonly string[] | undefined> {
  const { runbook, header: { limit }, history: { start } } = run;
  // Written with the first record.
  const before = start?.groups as
    | Readonly<Record<string, readonly string[]>>
    | undefined;
  const nodesOf = before === undefined
    ? (await beginNow({
      runbook,
      inputs,
      facts,
      found,
      now: clock.now,
      ...(limit === undefined ? {} : { limit: new Set(limit) }),
    })).nodesOf
    : (group: string) => before[groupKey({ path: "" }, group)];
  return (group) =>
    runbook.groups[group]?.at === "plan" ? nodesOf(group) : undefined;
}

function endedBefore(
  known: InstanceHistory | undefined,
): "done" | "skipped" | undefined {
  if (known?.decision?.verdict === "skip") return "skipped";
  const state = known?.result?.state;
  return state === "ok" ? "done" : state === "skipped" ? state : undefined;
}
