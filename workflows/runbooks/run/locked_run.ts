/** A run with its hold on the cluster, its journal and its secrets. */

import type { Check } from "../../checks/check.ts";
import { checks } from "../../checks/all.ts";
import type { OperationClock } from "../../operations/operation.ts";
import type { Beginning, RunEnd } from "../engine/run.ts";
import { type ClusterHold, createHold } from "../lock/cluster_lock.ts";
import { isUnfinished } from "../lock/local_lock.ts";
import type { InstanceHistory } from "../journal/history.ts";
import type { KeptJournal, RunJournal } from "../journal/writer.ts";
import { mayClaim } from "../store/abort_run.ts";
import type { Allowance } from "../../etcd/quorum.ts";
import type { Stop } from "../engine/engine_options.ts";
import type { Vault } from "../module.ts";
import type { Found } from "../language/lookup.ts";
import type { Facts } from "../read_facts.ts";
import { groupKey } from "../engine/frame.ts";
import { beginNow } from "../plan/groups_now.ts";
import { plannedStages } from "../report/planned_stages.ts";
import { conduct } from "./run_engine.ts";
import { artifactsIn, type OpenRun } from "../store/run_folder.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { Context } from "../../../commands/_kit/command.ts";
import type { Answers } from "./approvals.ts";
import type { Feed } from "./event_feed.ts";
import { hideInJournal } from "./journal_masking.ts";
import type { Link } from "./run_connection.ts";
import type { RunFlags } from "../../../commands/runbook/_flags/run_flags.ts";
import type { Stopping } from "./stop_requests.ts";
import { followed, tellLease, toldVault } from "./run_notices.ts";

/** A run that is about to go on. */
export interface Carried {
  /** Its folder, open. */
  readonly run:
    & Pick<
      OpenRun,
      "folder" | "header" | "runbook" | "history"
    >
    & {
      /** Where it is written down. */
      readonly journal: KeptJournal;
    };
  /** Its cluster. */
  readonly link: Pick<Link, "ring" | "view" | "cluster" | "fence">;
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
  /** Command that goes on with it. */
  readonly next: string;
  /** Run whose claim on the cluster is taken over. */
  readonly supersede?: string | undefined;
  /** Whether another run of this machine has ended; default none is known to have. */
  readonly hasEnded?: (run: string) => Promise<boolean>;
  /** How long its hold lasts without being renewed, in milliseconds; default 60 s. */
  readonly leaseMs?: number | undefined;
  /** Checks by name; default all. */
  readonly checks?: ReadonlyMap<string, Check>;
  /** A random number from 0 to 1; default another one each time. */
  readonly random?: () => number;
  /** Files the run has made; default those in its folder. */
  readonly artifacts?: () => Promise<readonly string[]>;
}

/** What the engine needs around it. */
export interface Around {
  /** Who watches. */
  readonly feed: Pick<Feed, "tell">;
  /** Wishes to stop. */
  readonly stop: Stop;
  /** Answers to questions. */
  readonly answers: Pick<Answers, "ask">;
}

/** What goes on around the engine of a run that people watch. */
export interface Conducting extends Around {
  /** Who watches. */
  readonly feed: Feed;
  /** Wishes to stop. */
  readonly stop: Stopping;
  /** Answers to questions. */
  readonly answers: Answers;
}

/**
 * Conducts a run until it ends, for now or for good; then gives the cluster back.
 *
 * @param context Flags.
 * @param carried The run.
 * @param around What goes on around the engine.
 * @throws {HeldError} If another run has the cluster.
 */
export async function conducted(
  { input: { parallel } }: Pick<
    Context<Pick<RunFlags, "parallel">>,
    "input"
  >,
  carried: Carried,
  around: Around,
): Promise<RunEnd> {
  const { run, vault } = carried;
  const { runbook, history } = run;
  const modules = new Set(history.modules);
  const journal = followed(
    hideInJournal(run.journal, vault.masker.mask),
    modules,
  );
  const allowed = new Set<Allowance>();
  const hold = holdOf(carried, around, journal, allowed);
  const locks = runbook.policy.lock === "cluster";
  if (locks) {
    await hold.look();
    carried.link.fence.close(hold.confirm);
  }
  await tellPlan(carried, around);
  let finished = false;
  try {
    const end = await engineOf(carried, around, {
      journal,
      parallel,
      allowed,
      hold: locks ? hold : { ensure: () => Promise.resolve(undefined) },
    });
    finished = !isUnfinished({
      history: { ...history, start: {}, end: { state: end.state } },
    });
    // Without its key the folder of a run that has succeeded may be given to anybody.
    const isExported = vault.names().length === 0 ||
      modules.has("vault.export");
    if (end.state === "succeeded" && isExported) await vault.destroyKey();
    return end;
  } finally {
    await hold.release(finished);
  }
}

function holdOf(
  carried: Carried,
  { feed, stop }: Around,
  journal: RunJournal,
  allowed: ReadonlySet<Allowance>,
): ClusterHold {
  const { run, link, clock, operator, supersede, leaseMs, hasEnded } = carried;
  const { header: { id }, runbook, history } = run;
  const needed = runbook.requires.needs.includes("kubernetes");
  return createHold({
    kubernetes: link.view.kubernetes,
    run: id,
    operator,
    clock,
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
      tellLease(feed, details, `${id} @ ${operator}`);
    },
    note: (message) => feed.tell("note", { data: { message } }),
  });
}

async function tellPlan(carried: Carried, { feed }: Around): Promise<void> {
  const { runbook, header, history } = carried.run;
  const nodesOf = await frozenGroups(carried);
  feed.tell("run.planned", {
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

/** Nodes of groups that stay as they were when the run began. */
async function frozenGroups(
  { run, inputs, facts, found, clock }: Carried,
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

function engineOf(
  carried: Carried,
  { feed, stop, answers }: Around,
  given: Pick<
    Parameters<typeof conduct>[0],
    "journal" | "hold" | "parallel" | "allowed"
  >,
): Promise<RunEnd> {
  const { run, link, vault, found, facts, inputs, clock, operator } = carried;
  const { header, runbook, history, folder } = run;
  const { id, files, ir, limit } = header;
  const beginning: Beginning = {
    facts,
    start: { files, ir, operator, inputs },
    artifacts: carried.artifacts ?? (() => artifactsIn(folder)),
  };
  return conduct({
    ...given,
    run: id,
    runbook,
    inputs,
    clock,
    random: carried.random ?? Math.random,
    cluster: link.cluster,
    found,
    checks: carried.checks ?? checks,
    history,
    room: {
      artifacts: `${folder}/artifacts`,
      vault: toldVault(vault, given.journal, feed),
      ring: link.ring,
    },
    ask: answers.ask,
    stop,
    ...(limit === undefined ? {} : { limit: new Set(limit) }),
    tell: feed.tell,
  }, beginning);
}
