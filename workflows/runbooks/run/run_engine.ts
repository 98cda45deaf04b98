/** The engine of a run, under the lock on its cluster, with its journal and its secrets. */

import { checks } from "../../checks/all.ts";
import type { Check } from "../../checks/check.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { EngineOptions } from "../engine/engine_options.ts";
import { type RunEnd, runRunbook } from "../engine/run.ts";
import {
  groupKey,
  type InstanceHistory,
  type RunHistory,
} from "../journal/history.ts";
import { listNodes as knownNodes, listSteps } from "../journal/find_step.ts";
import { versionsAtStart } from "../journal/targets.ts";
import type { KeptJournal, RunJournal } from "../journal/writer.ts";
import type { FoundNames } from "../language/lookup.ts";
import { ClusterLock } from "../lock/cluster_lock.ts";
import { isUnfinished } from "../store/run_condition.ts";
import type { Vault } from "../../vault/secrets.ts";
import { groupsAtStart } from "../plan/groups_now.ts";
import type { Facts } from "../read_facts.ts";
import { mayClaim } from "../store/abort_run.ts";
import { artifactsIn, type OpenRun } from "../store/run_folder.ts";
import type { RunConnection } from "./run_connection.ts";
import type { Runbook } from "../runbook.ts";
import { type Masker, maskValue } from "../../../lib/masker.ts";
import type { RecordOf, RecordType } from "../journal/record.ts";
import type { PlannedRun } from "../event.ts";
import type { EventFeed } from "./event_feed.ts";

/** A run that a process runs. */
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
  /** Values of the inputs, as they are now. */
  readonly inputs: OpenRun["header"]["inputs"];
  readonly clock: OperationClock;
  readonly operator: string;
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
type RunControl = Pick<
  EngineOptions,
  "emit" | "stop" | "ask" | "parallel"
>;

/**
 * Runs the engine until the run ends, for now or for good; then releases the cluster.
 *
 * @throws {LockedError} If another run has the cluster.
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
      ...(limit === undefined ? {} : { limit: new Set(limit) }),
    });
    finished = !isUnfinished({
      history: { start: {}, instances: history.instances, end },
    });
    // Without its key the folder of a run that has succeeded may be given to anyone.
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
      fanOuts: plannedFanOuts(runbook, history, nodesOf),
      stages: plannedStages(
        runbook,
        nodesOf,
        (path) => endedBefore(history.instances.get(path)),
      ),
    },
  });
}

/** Nodes with their roles, and the versions they ran when the run started and run now. */
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
 * Lists the fan-outs of a runbook for the event `run.planned`, but those that were skipped and those of cleanup.
 *
 * @param nodes Nodes of a group that is frozen; `undefined` for those resolved later.
 */
function plannedFanOuts(
  runbook: Runbook,
  history: RunHistory,
  nodes: (group: string) => readonly string[] | undefined,
): NonNullable<PlannedRun["fanOuts"]> {
  const keys = new Map(
    Object.keys(runbook.groups)
      .map((name) => [groupKey({ path: "" }, name), name]),
  );
  return listSteps(runbook).flatMap((step) => {
    const { path, verb, fanOut, fresh, group = "" } = step;
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
    return [{ path, nodes: [...all], ...state }];
  });
}

/** Nodes of groups that stay as they were when the run was started. */
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

/**
 * Lists the steps of a runbook for the event `run.planned`.
 *
 * @param nodes Nodes of a group that is frozen; `undefined` for those resolved later.
 * @param state How the step of a path has ended before; `undefined` when it has not.
 */
export function plannedStages(
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

/** Records that are compared with what nodes say later: they hold handles, and stay as they are. */
const compared: ReadonlySet<RecordType> = new Set(["run.start", "intent"]);

/** Hides secrets in what is written down. */
export function maskJournal(
  { append }: RunJournal,
  mask: Masker["mask"],
): RunJournal {
  return {
    append: (record) =>
      append(compared.has(record.type) ? record : maskValue(record, mask)),
  };
}

/** Reports what became of the lock on the cluster. */
export function emitLease(
  { emit }: Pick<EventFeed, "emit">,
  { state, reason }: RecordOf<"lease">["data"],
  holder: string,
): void {
  if (state === "taken") emit({ type: "lock.acquired", data: { holder } });
  if (state === "lost") {
    emit({ type: "lock.lost", data: { reason: String(reason) } });
  }
}

/** A vault whose new entries are written down when they are there. */
export function journaledVault(
  vault: Vault,
  journal: RunJournal,
  { emit }: Pick<EventFeed, "emit">,
): Vault {
  return {
    ...vault,
    async put(name, value, fingerprint) {
      const handle = await vault.put(name, value, fingerprint);
      const data = {
        name,
        ...(fingerprint === undefined ? {} : { fingerprint }),
      };
      await journal.append({ type: "secret", data });
      emit({ type: "secret.created", data });
      return handle;
    },
  };
}
