/** Runs the engine under the cluster lock, with the journal and secrets of a run. */

import { checks } from "../../checks/all.ts";
import type { Check } from "../../checks/check.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { EngineOptions } from "../engine/engine_options.ts";
import { disturbs } from "../engine/changed_steps.ts";
import { type RunEnd, runRunbook } from "../engine/run.ts";
import {
  groupKey,
  type InstanceHistory,
  instanceKey,
  type RunHistory,
} from "../journal/history.ts";
import { listNodes as knownNodes, listSteps } from "../journal/find_step.ts";
import { versionsAtStart } from "../journal/targets.ts";
import type { KeptJournal, RunJournal } from "../journal/writer.ts";
import { type FoundNames, moduleIn } from "../language/lookup.ts";
import { ClusterLock } from "../lock/cluster_lock.ts";
import { isUnfinished } from "../store/run_condition.ts";
import type { Vault } from "../../vault/secrets.ts";
import { groupsAtStart } from "../plan/initial_groups.ts";
import type { Facts } from "../read_facts.ts";
import { mayClaim } from "../store/abort_run.ts";
import { artifactsIn, type OpenRun } from "../store/run_folder.ts";
import type { RunConnection } from "./run_connection.ts";
import type { Runbook } from "../runbook.ts";
import { type Masker, maskValue } from "../../../lib/masker.ts";
import type { RecordOf, RecordType } from "../journal/record.ts";
import type { PlannedRun } from "../event.ts";
import type { EventFeed } from "./event_feed.ts";

/** A run in this process. */
export interface ActiveRun {
  readonly run:
    & Pick<OpenRun, "folder" | "header" | "runbook" | "history">
    & {
      readonly journal: KeptJournal;
    };
  readonly connection: Pick<
    RunConnection,
    "ring" | "view" | "cluster" | "fence"
  >;
  /** Its secrets. */
  readonly vault: Vault & Pick<OpenVault, "masker" | "destroyKey">;
  readonly found: FoundNames;
  readonly facts: Facts;
  /** Current input values. */
  readonly inputs: OpenRun["header"]["inputs"];
  readonly clock: OperationClock;
  readonly operator: string;
  readonly next: string;
  /** Run whose cluster lock is taken over. */
  readonly supersede?: string | undefined;
  /** Reports whether another run of this machine has finished; default unknown. */
  readonly hasEnded?: (run: string) => Promise<boolean>;
  /** Lease duration of the lock, in milliseconds; default 60 s. */
  readonly leaseMs?: number | undefined;
  /** Checks by name; default all. */
  readonly checks?: ReadonlyMap<string, Check>;
  /** Random number from 0 to 1; default `Math.random`. */
  readonly random?: () => number;
  /** Output files of the run; default those in its folder. */
  readonly artifacts?: () => Promise<readonly string[]>;
}

/** Events, stop requests and approvals of a run. */
type RunControl = Pick<
  EngineOptions,
  "emit" | "stop" | "ask" | "parallel"
>;

/**
 * Runs the engine until the run stops or finishes; then releases the lock.
 *
 * @throws {LockedError} If another run holds the cluster lock.
 */
export async function runEngine(
  active: ActiveRun,
  control: RunControl,
): Promise<RunEnd> {
  const { run, vault, connection, found, inputs, clock, operator } = active;
  const { runbook, history, folder, header } = run;
  const { id, files, ir, limit } = header;
  const journal = maskJournal(run.journal, vault.masker.mask);
  const allowed = new Set<Allowance>();
  const lock = openLock(active, control, journal, allowed);
  const locks = runbook.policy.lock === "cluster";
  if (locks) {
    await lock.look();
    connection.fence.close(() => lock.confirm());
  }
  let finished = false;
  try {
    if (locks) await lock.reclaim();
    await emitPlan(active, control);
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
      resources: {
        artifacts: `${folder}/artifacts`,
        vault: journaledVault(vault, journal, control),
        ring: connection.ring,
      },
      limit: limit && new Set(limit),
    });
    finished = !isUnfinished({
      history: { start: {}, instances: history.instances, end },
    });
    // Without its key, the folder of a successful run can be shared.
    const isExported = vault.names().length === 0 ||
      history.modules.has("vault.export");
    if (end.state === "succeeded" && isExported) await vault.destroyKey();
    return end;
  } finally {
    await lock.release(finished);
  }
}

function openLock(
  active: ActiveRun,
  { emit, stop }: RunControl,
  journal: RunJournal,
  allowed: ReadonlySet<Allowance>,
): ClusterLock {
  const { run, connection, operator, supersede, leaseMs, hasEnded } = active;
  const { header: { id }, runbook, history } = run;
  const needed = runbook.requires.needs.includes("kubernetes");
  return new ClusterLock({
    kubernetes: connection.view.kubernetes,
    run: id,
    operator,
    clock: active.clock,
    // If an earlier process held the lock, another run may hold it now.
    needed: needed || mayClaim(history),
    // Without a quorum there is no place to keep the lock.
    excused: () => !needed && allowed.has("etcd-quorum"),
    journal: run.journal,
    signal: stop.soft,
    lastsMs: leaseMs,
    hasEnded,
    claimed: history.lease !== undefined,
    supersede,
    async record(details) {
      await journal.append({ type: "lease", data: details });
      emitLease({ emit }, details, `${id} @ ${operator}`);
    },
    note: (message) => emit({ type: "note", data: { message } }),
  });
}

async function emitPlan(
  active: ActiveRun,
  { emit }: RunControl,
): Promise<void> {
  const { runbook, header, history } = active.run;
  const nodesOf = await frozenGroups(active);
  emit({
    type: "run.planned",
    data: {
      runbook: runbook.name,
      title: runbook.title,
      cluster: header.cluster.name,
      nodes: plannedNodes(active),
      fanOuts: plannedFanOuts(active, nodesOf),
      stages: plannedStages(
        runbook,
        nodesOf,
        (path) => endedBefore(history.instances.get(path)),
      ),
    },
  });
}

/** Nodes with their roles, and their versions at the start of the run and now. */
function plannedNodes(
  { facts, run }: ActiveRun,
): NonNullable<PlannedRun["nodes"]> {
  const before = versionsAtStart(run.history);
  return facts.nodes.map(({ name, role, version: current }) => {
    const version = before[name] || current;
    return {
      node: name,
      role,
      ...version === "" ? {} : { version },
      ...current === "" || current === version ? {} : { current },
    };
  });
}

/**
 * Lists the fan-outs of a runbook for the event `run.planned`, without skipped and cleanup ones.
 *
 * @param nodes Nodes of a frozen group; `undefined` for groups resolved later.
 */
function plannedFanOuts(
  { run: { runbook, history }, found }: ActiveRun,
  nodes: (group: string) => readonly string[] | undefined,
): NonNullable<PlannedRun["fanOuts"]> {
  const keys = new Map(
    Object.keys(runbook.groups)
      .map((name) => [groupKey({ path: "" }, name), name]),
  );
  return listSteps(runbook).flatMap((step) => {
    const { path, verb, fanOut, fresh, group = "", steps = [] } = step;
    if (verb !== "forEach" || fanOut !== undefined || fresh) return [];
    const around = path.split("/").map((_, i, parts) =>
      endedBefore(history.instances.get(parts.slice(0, i + 1).join("/")))
    );
    if (around.includes("skipped")) return [];
    const name = keys.get(group);
    const known = knownNodes(history, step);
    const planned = name === undefined ? undefined : nodes(name);
    const all = known.length > 0 ? known : planned ?? [];
    if (all.length === 0) return [];
    const state = around.includes("done") && { state: "done" as const };
    const module = (name: string) => moduleIn(found, name);
    const disrupts = disturbs({ module }, steps) && { disrupts: true };
    const done = listDone(history, path, all);
    return [{
      path,
      nodes: [...all],
      ...disrupts,
      ...state,
      ...done.length > 0 && { done },
    }];
  });
}

/** Nodes that an earlier process has finished in a fan-out. */
function listDone(
  history: RunHistory,
  path: string,
  nodes: readonly string[],
): NonNullable<NonNullable<PlannedRun["fanOuts"]>[number]["done"]> {
  return nodes.flatMap((node) => {
    const { state, tookMs, entry = 1 } =
      history.nodes.get(instanceKey(path, node)) ?? {};
    return state === "done" && tookMs !== undefined
      ? [{ node, tookMs, ...entry > 1 && { resumed: true } }]
      : [];
  });
}

/** Nodes of groups that are frozen at the start of the run. */
async function frozenGroups(
  { run, inputs, facts, found, clock }: ActiveRun,
): Promise<(group: string) => readonly string[] | undefined> {
  const { runbook, header: { limit }, history: { start } } = run;
  const before = start?.groups;
  const nodesOf = before === undefined
    ? (await groupsAtStart({
      runbook,
      inputs,
      facts,
      found,
      now: clock.now,
      limit: limit && new Set(limit),
    })).resolveGroup
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

/**
 * Lists the steps of a runbook for the event `run.planned`.
 *
 * @param nodes Nodes of a frozen group; `undefined` for groups resolved later.
 * @param state Earlier result of the step at a path; `undefined` without one.
 */
function plannedStages(
  { steps }: Runbook,
  nodes: (group: string) => readonly string[] | undefined,
  state: (path: string) => "done" | "skipped" | undefined = () => undefined,
): NonNullable<PlannedRun["stages"]> {
  return steps.map((step) => {
    const { id, title, verb } = step;
    const ended = state(id);
    const known = verb === "forEach" ? nodes(step.nodes)?.length : undefined;
    return {
      path: id,
      ...title === undefined ? {} : { title },
      verb,
      ...known === undefined ? {} : { nodes: known },
      ...ended === undefined ? {} : { state: ended },
    };
  });
}

/** Records that are later compared with reports of nodes: they hold handles, and are not masked. */
const compared: ReadonlySet<RecordType> = new Set(["run.start", "intent"]);

/** Masks secrets in a journal. */
function maskJournal(
  { append }: RunJournal,
  mask: Masker["mask"],
): RunJournal {
  return {
    append: (record) =>
      append(compared.has(record.type) ? record : maskValue(record, mask)),
  };
}

/** Emits changes of the cluster lock. */
function emitLease(
  { emit }: Pick<EventFeed, "emit">,
  { state, reason }: RecordOf<"lease">["data"],
  holder: string,
): void {
  if (state === "taken") emit({ type: "lock.acquired", data: { holder } });
  if (state === "lost") {
    emit({ type: "lock.lost", data: { reason: String(reason) } });
  }
}

/** A vault that records new entries in the journal. */
function journaledVault(
  vault: Vault,
  journal: RunJournal,
  { emit }: Pick<EventFeed, "emit">,
): Vault {
  return {
    ...vault,
    async put(name, value, fingerprint) {
      const handle = await vault.put(name, value, fingerprint);
      const data = { name, fingerprint };
      await journal.append({ type: "secret", data });
      emit({ type: "secret.created", data });
      return handle;
    },
  };
}
