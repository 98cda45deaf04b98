import {
  type Allowance,
  arithmetic,
  mayBeRemoved,
  mayLeave,
  type Refusal,
  removalArithmetic,
  removesMember,
} from "../../etcd/quorum.ts";
import type { ClusterEtcd } from "../../etcd/etcd_facts.ts";
import { copies, resetReason } from "../engine/admission.ts";
import { outsideWindow } from "../engine/window.ts";
import {
  type OverridableRule,
  safetyRules,
} from "../../operations/safety_rules.ts";
import type { NodeFacts } from "../../runbook_cel/facts.ts";
import type { PlannedCheck, PlanStage, SafetyVerdict } from "./plan.ts";
import { isOverridden } from "./rule_overrides.ts";
import type { Disturbance, Planner } from "./planner.ts";

/** Safety rules that checks enforce. */
export const byCheck: Readonly<Record<string, "S8" | "S9">> = {
  "upgrade.imageIdentity": "S9",
  "upgrade.kernelArgsKept": "S9",
  "upgrade.path": "S8",
};

/**
 * Checks the safety rules.
 *
 * @param planner The plan, after all steps.
 * @param held Other run that holds the cluster lock, if any.
 * @returns Verdicts, worst first.
 */
export async function checkSafety(
  planner: Planner,
  stages: readonly PlanStage[],
  held: string | undefined,
): Promise<readonly SafetyVerdict[]> {
  const { overridden, allowed } = await overriddenNow(planner);
  const verdicts = [
    ...overridden,
    ...await quorumVerdicts(planner, allowed, stages),
    ...resetVerdicts(planner),
    ...checkVerdicts(stages, allowed),
    ...destroyVerdicts(planner, stages, allowed),
    ...windowVerdicts(planner),
    ...held === undefined
      ? []
      : [{ rule: "S16", state: "refuses", reason: held } as const],
  ];
  const once = new Map(verdicts.map((one) => [JSON.stringify(one), one]));
  return [...once.values()].toSorted((a, b) =>
    severity.indexOf(a.state) - severity.indexOf(b.state)
  );
}

const severity: readonly SafetyVerdict["state"][] = [
  "refuses",
  "waits",
  "overridden",
  "holds",
];

async function overriddenNow(planner: Planner): Promise<{
  readonly overridden: readonly SafetyVerdict[];
  readonly allowed: ReadonlySet<OverridableRule>;
}> {
  const overridden: SafetyVerdict[] = [];
  const allowed = new Set<OverridableRule>();
  for (const { rule, reason = rule } of planner.engine.runbook.policy.allow) {
    // Sequential; nothing here waits.
    if (!await isOverridden(planner, rule)) continue;
    allowed.add(rule);
    for (const code of listRules(rule)) {
      overridden.push({ rule: code, state: "overridden", reason });
    }
  }
  return { overridden, allowed };
}

function listRules(override: OverridableRule): readonly string[] {
  return safetyRules.filter(({ allow }) => allow.includes(override))
    .map(({ code }) => code);
}

/** S1 to S5: whether these control planes may be unavailable. */
async function quorumVerdicts(
  planner: Planner,
  allowed: ReadonlySet<OverridableRule>,
  stages: readonly PlanStage[],
): Promise<readonly SafetyVerdict[]> {
  const { disturbances, engine } = planner;
  const { nodes } = engine.facts.last();
  const about = disturbances.flatMap((one) => {
    const node = nodes.find(({ name, address }) =>
      name === one.node || address === one.node
    );
    const isMember = one.quorum !== "none" && one.quorum !== "joins" &&
      node?.role === "controlplane";
    return isMember ? [{ ...one, facts: node }] : [];
  });
  if (about.length === 0) return [];
  const etcd = await engine.cluster.view.readEtcd();
  const verdicts = about.flatMap((one) => [
    ...quorumVerdict(one, etcd, allowed),
    ...allowed.has("etcd-quorum") ? [] : leaderVerdict(one, stages, etcd),
  ]);
  if (verdicts.length > 0) return verdicts;
  const reason = about.slice(0, 1).map((one) => formatNumbers(one, etcd))
    .join();
  return allowed.has("etcd-quorum") ? [] : [
    { rule: "S1", state: "holds", reason },
    {
      rule: "S2",
      state: "holds",
      reason: "control planes one at a time",
    },
  ];
}

function formatNumbers(
  { node, member, quorum }: Disturbance,
  { facts, memberOf }: ClusterEtcd,
): string {
  const numbers = removesMember(quorum) ? removalArithmetic : arithmetic;
  return numbers(facts, member ?? memberOf.get(node) ?? "");
}

function quorumVerdict(
  { path, node, quorum, member }: Disturbance,
  { facts, memberOf }: ClusterEtcd,
  allowed: ReadonlySet<OverridableRule>,
): readonly SafetyVerdict[] {
  const rule = removesMember(quorum) ? mayBeRemoved : mayLeave;
  // Rules outside the quorum set are never queried here.
  const known = allowed as ReadonlySet<string> as ReadonlySet<Allowance>;
  const refusal = rule(facts, member ?? memberOf.get(node) ?? "", known);
  return refusal === undefined ? [] : [{ ...toVerdict(refusal), path, node }];
}

function toVerdict(
  { rule, reason, passing, allowance }: Refusal,
): SafetyVerdict {
  const way = allowance === undefined
    ? ""
    : ` (the runbook can allow ${allowance})`;
  const state = passing ? "waits" : "refuses";
  return { rule, state, reason: `${reason}${way}` };
}

function leaderVerdict(
  { path, node, facts, module }: Disturbance & { readonly facts: NodeFacts },
  stages: readonly PlanStage[],
  etcd: ClusterEtcd,
): readonly SafetyVerdict[] {
  const voters = etcd.facts.members.filter(({ learner }) => !learner).length;
  const { leader } = etcd.facts;
  const leads = leader !== "" && leader === etcd.memberOf.get(facts.name);
  if (!leads || voters < 2 || module === "etcd.forfeitLeadership") return [];
  const around = path.slice(0, path.lastIndexOf("/"));
  const handsOver = runsIn(stages).some((one) =>
    one.module === "etcd.forfeitLeadership" && one.path.startsWith(around) &&
    one.happens !== "no"
  );
  if (handsOver) return [];
  const reason =
    `${node} is the etcd leader now; run etcd.forfeitLeadership first`;
  return [{ rule: "S5", state: "waits", reason, path, node }];
}

type DisturbedRun = Extract<PlanStage, { readonly verb: "run" }>;

function runsIn(stages: readonly PlanStage[]): readonly DisturbedRun[] {
  return flat(stages).flatMap((stage) => stage.verb === "run" ? [stage] : []);
}

/** Flattens stages, in order, without `rescue`. */
function flat(stages: readonly PlanStage[]): readonly PlanStage[] {
  return stages.flatMap((stage) =>
    stage.verb === "forEach" || stage.verb === "block"
      ? [stage, ...flat([...stage.steps, ...stage.always])]
      : [stage]
  );
}

/** S17: a node that is being reset is not disturbed. */
function resetVerdicts(
  { disturbances, engine }: Planner,
): readonly SafetyVerdict[] {
  const { nodes } = engine.facts.last();
  const resetting = nodes.filter(({ stage }) => stage === "resetting")
    .flatMap(({ name, address }) => [name, address]);
  return disturbances.filter(({ node }) => resetting.includes(node))
    .map(({ node, path }) => ({
      rule: "S17",
      state: "refuses",
      reason: resetReason(node),
      path,
      node,
    }));
}

function checkVerdicts(
  stages: readonly PlanStage[],
  allowed: ReadonlySet<OverridableRule>,
): readonly SafetyVerdict[] {
  return flat(stages).flatMap((stage) =>
    stage.verb === "gate"
      ? stage.checks.flatMap((check) =>
        checkVerdict(stage.path, check, allowed)
      )
      : []
  );
}

function checkVerdict(
  path: string,
  { check, node, state, reason = "" }: PlannedCheck,
  allowed: ReadonlySet<OverridableRule>,
): readonly SafetyVerdict[] {
  const rule = byCheck[check];
  if (rule === undefined || state === "skip" || state === "unknown") return [];
  if ([...allowed].some((one) => listRules(one).includes(rule))) return [];
  return [{
    rule,
    state: state === "holds" ? "holds" : "refuses",
    reason,
    path,
    node,
  }];
}

/** S14: data loss requires an approval, and a copy. */
function destroyVerdicts(
  { engine }: Planner,
  stages: readonly PlanStage[],
  allowed: ReadonlySet<OverridableRule>,
): readonly SafetyVerdict[] {
  const all = flat(stages);
  const at = all.findIndex((stage) =>
    stage.verb === "run" && stage.effect === "destroy" &&
    stage.happens !== "no" && isDone(stage)
  );
  const stage = all[at];
  if (stage === undefined) return [];
  const before = all.slice(0, at).filter(({ happens }) => happens !== "no");
  const isAsked = before.some((one) =>
    one.verb === "approve" && one.destructive
  );
  const isCopied = allowed.has("destroy-etcd-data") ||
    engine.runbook.policy.allow.some(({ rule }) =>
      rule === "destroy-etcd-data"
    ) ||
    before.some((one) => one.verb === "run" && copies.includes(one.module));
  const reason = !isAsked
    ? "no destructive approval precedes it"
    : isCopied
    ? "a copy is made and an approval requested first"
    : "the data that would be lost is not copied first";
  const state = isAsked && isCopied ? "holds" : "refuses";
  return [{ rule: "S14", state, reason, path: stage.path }];
}

function isDone({ previews }: DisturbedRun): boolean {
  return previews.length === 0 ||
    previews.some(({ outcome }) =>
      outcome === "change" || outcome === "unknown"
    );
}

/** S16: no disruptions outside windows. */
function windowVerdicts(
  { disturbances, engine }: Planner,
): readonly SafetyVerdict[] {
  const { window } = engine.runbook.policy;
  if (disturbances.length === 0 || window.length === 0) return [];
  const closed = outsideWindow(window, engine.clock.now());
  return [
    closed === undefined
      ? { rule: "S16", state: "holds", reason: "a window is open now" }
      : { rule: "S16", state: "waits", reason: closed },
  ];
}
