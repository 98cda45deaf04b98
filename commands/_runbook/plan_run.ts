/** Plans of runs, for `runbook plan` and `site plan`. */

import { LockedError, RefusedError } from "../../errors.ts";
import { checks } from "../../workflows/checks/all.ts";
import { findRules } from "../../workflows/operations/safety_rules.ts";
import type { ClusterView } from "../../workflows/operations/cluster_view.ts";
import type { OperationClock } from "../../lib/clock.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import { ClusterLock } from "../../workflows/runbooks/lock/cluster_lock.ts";
import { refuseUnfinished } from "../../workflows/runbooks/lock/local_lock.ts";
import { onlyRead } from "../../workflows/runbooks/lock/read_only.ts";
import { makePlan } from "../../workflows/runbooks/plan/make_plan.ts";
import type { Plan } from "../../workflows/runbooks/plan/plan.ts";
import {
  type GivenInputs,
  resolveGiven,
} from "../../workflows/runbooks/run/given_inputs.ts";
import { parseLimit } from "../../workflows/runbooks/run/node_limit.ts";
import {
  findSteps,
  refuseCommands,
  refuseUnsuitable,
  type RunRequest,
} from "../../workflows/runbooks/run/prepare_run.ts";
import { refuseRole } from "../../workflows/runbooks/run/required_role.ts";
import { connectRun } from "../../workflows/runbooks/run/run_connection.ts";
import type { RunSession } from "../../workflows/runbooks/run/run_session.ts";
import { listRows } from "../../workflows/runbooks/report/plan_rows.ts";
import { findTitle } from "../../workflows/runbooks/report/plan_summary.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import { hasEnded } from "../../workflows/runbooks/store/run_condition.ts";
import { listRuns } from "../../workflows/runbooks/store/run_folder.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import { makeHandles } from "../../workflows/runbooks/store/run_vault.ts";

/**
 * A plan of a run that would be refused must not succeed.
 *
 * @param isShown True if the reasons are on the screen already; they are not repeated then.
 */
export function refusePlan({ refusals, stages }: Plan, isShown: boolean): void {
  const [first, ...others] = refusals;
  if (first === undefined) return;
  if (isShown) {
    const reasons = others.length === 0
      ? "reason"
      : `${refusals.length} reasons`;
    const rules = findRules(refusals.map(({ reason }) => reason).join("\n"))
      .map(({ code }) => code);
    throw new RefusedError(
      `A run would be refused for the ${reasons} at the top of the plan${
        rules.length === 0 ? "" : `: ${rules.join(", ")}`
      }`,
    );
  }
  const { path, node, reason } = first;
  const title = findTitle(listRows(stages), path);
  const where = [title, node === undefined ? "" : `on ${node}`]
    .filter((part) => part).join(" ");
  const more = others.length === 0 ? "" : `; and ${others.length} more`;
  throw new RefusedError(
    `A run would be refused: ${
      where === "" ? "" : `${where}: `
    }${reason}${more}`,
  );
}

/** Reasons to refuse a run; empty if it would start. */
function listRefusals(check: () => void): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { message, hint } = error;
    return [hint === undefined ? message : `${message} (${hint})`];
  }
}

/** Runbook and options of a plan. */
type PlanRequest =
  & Pick<
    RunRequest,
    "runbook" | "limit" | "parallel" | "allowCommands" | "secretValues"
  >
  & GivenInputs;

/**
 * Plans a run; nothing is changed.
 *
 * @returns The plan, and the names of the inputs that are not defaults.
 */
export async function planRun(
  session: RunSession,
  input: PlanRequest,
): Promise<{ readonly plan: Plan; readonly given: ReadonlySet<string> }> {
  const { environment, clock } = session;
  const { runbook } = await loadRunbook(input.runbook, session.load);
  refuseUnsuitable(runbook);
  const given = await resolveGiven(runbook, {
    given: input,
    secretValues: input.secretValues,
    environment,
    signal: session.signal,
  });
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, session.signal]);
  using connection = connectRun({
    to: await session.connect(undefined, signal),
    vault: { read: () => Promise.reject(onlyRead("read secrets")) },
    clock,
    signal,
    readOnly: true,
    created: session.created,
  });
  const reopen = () => {
    throw onlyRead("open other connections");
  };
  try {
    const facts = await connection.cluster.readFacts();
    const limit = parseLimit(input.limit, { facts, runbook, now: clock.now });
    const plan = await makePlan({
      runbook,
      inputs: { ...given.values, ...makeHandles(given.secrets.keys()) },
      secrets: given.secrets,
      cluster: connection.cluster,
      facts,
      found: await findSteps(
        runbook,
        session.steps({ nodes: connection.nodes, reopen }),
      ),
      checks,
      ring: connection.ring,
      clock,
      signal,
      parallel: input.parallel,
      refused: [
        ...listRefusals(() => refuseRole(runbook, connection.crt)),
        ...listRefusals(() => refuseCommands(runbook, input.allowCommands)),
      ],
      held: await otherRun(runbook, {
        runs: findPlaces(environment).runs,
        cluster: facts.cluster.id,
        kubernetes: connection.view.kubernetes,
        clock,
      }),
      limit: limit && new Set(limit),
    });
    return { plan, given: given.given };
  } finally {
    ended.abort();
  }
}

/**
 * Finds another run that holds the lock of the cluster; changes nothing.
 *
 * @param runbook Runbook to run; one without a lock has no conflict.
 * @returns Description of that run; `undefined` if there is none.
 */
async function otherRun(
  { policy }: Runbook,
  { runs, cluster, kubernetes, clock }: {
    readonly runs: string;
    readonly cluster: string;
    readonly kubernetes: ClusterView["kubernetes"];
    readonly clock: OperationClock;
  },
): Promise<string | undefined> {
  if (policy.lock === "none") return undefined;
  const lock = new ClusterLock({
    kubernetes,
    run: "plan",
    operator: "",
    clock,
    needed: false,
    hasEnded: (run) => hasEnded(runs, run),
    record: () => Promise.resolve(),
    note() {},
  });
  try {
    refuseUnfinished(await listRuns(runs, cluster), cluster, new Set());
    await lock.look();
    return undefined;
  } catch (error) {
    if (error instanceof LockedError) return error.message;
    throw error;
  }
}
