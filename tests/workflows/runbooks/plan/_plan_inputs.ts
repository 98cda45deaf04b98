/** Plans for clusters that only stand on paper: facts, modules and checks of the test, and nothing to ask. */

import { OsctlError, RefusedError } from "../../../../errors.ts";
import type { NodeClient } from "../../../../transport/call/client.ts";
import type { Check, CheckResult } from "../../../../workflows/checks/check.ts";
import type {
  AnyOperation,
  Effect,
} from "../../../../workflows/operations/operation.ts";
import type {
  EtcdFacts,
  QuorumEffect,
} from "../../../../workflows/etcd/quorum.ts";
import type { Json } from "../../../../lib/json.ts";
import type { RunCluster } from "../../../../workflows/runbooks/engine/run_cluster.ts";
import type { NodeFacts } from "../../../../workflows/runbook_cel/facts.ts";
import type { ValueFields } from "../../../../workflows/runbook_cel/field.ts";
import { loadRunbook } from "../../../../workflows/runbooks/language/loading/load.ts";
import {
  findAll,
  type FoundNames,
} from "../../../../workflows/runbooks/language/lookup.ts";
import { allSteps } from "../../../../workflows/runbooks/language/walk.ts";
import type {
  ChangingModule,
  Module,
} from "../../../../workflows/modules/module.ts";
import type {
  Plan,
  PlanStage,
  Preview,
} from "../../../../workflows/runbooks/plan/plan.ts";
import {
  makePlan,
  type RunPlanRequest,
} from "../../../../workflows/runbooks/plan/make_plan.ts";
import type { Facts } from "../../../../workflows/runbooks/read_facts.ts";
import type { Runbook } from "../../../../workflows/runbooks/runbook.ts";

/** A node as it is unless a test says otherwise. */
export function node(name: string, facts: Partial<NodeFacts> = {}): NodeFacts {
  const isMember = name.startsWith("cp");
  return {
    name,
    address: `10.0.0.${name.replaceAll(/\D/g, "")}`,
    role: isMember ? "controlplane" : "worker",
    reachable: true,
    ready: true,
    stage: "running",
    version: "v1.13.4",
    schematic: "",
    customized: false,
    image: "ghcr.io/siderolabs/installer:v1.13.4",
    bootId: `boot-${name}`,
    bootloader: "systemd-boot",
    platform: "metal",
    secureBoot: false,
    kubernetesVersion: "v1.34.1",
    zone: "",
    labels: {},
    caps: { lifecycle: true },
    etcd: {
      member: isMember,
      leader: name === "cp-1",
      learner: false,
      healthy: isMember,
      voters: isMember ? 3 : 0,
      dataDir: isMember ? "data" : "unknown",
    },
    ...facts,
  };
}

/** Three control planes, of which the first leads etcd, and two workers. */
export const usual: readonly NodeFacts[] = [
  node("cp-1"),
  node("cp-2"),
  node("cp-3"),
  node("w-4"),
  node("w-5"),
];

export type Looked = string | undefined | OsctlError;

/** A module that changes something. */
export interface PaperChange {
  /** Its effect; default `write`. */
  readonly effect?: Effect;
  /** Its effect on etcd; default none. */
  readonly quorum?: QuorumEffect;
  /** Its target; default a node. */
  readonly scope?: "node" | "cluster";
  readonly input?: ValueFields;
  readonly output?: ValueFields;
  /** Its finding; default its own name as pending. */
  readonly finds?: (node: string, input: Json) => Looked;
}

const nothing: ValueFields = {};

function makeHead(name: string, fake: PaperChange) {
  return {
    name,
    summary: "For tests",
    scope: fake.scope ?? "node",
    input: fake.input ?? nothing,
    output: fake.output ?? nothing,
  } as const;
}

function never(): never {
  throw new Error("A plan does nothing");
}

/** The operation of such a module. */
export function operation(name: string, fake: PaperChange = {}): AnyOperation {
  const { finds = () => name, quorum = "none", effect = "write" } = fake;
  return {
    name,
    effect,
    idempotency: "converge",
    quorum: () => quorum,
    observe: async ({ node }, input) =>
      await Promise.resolve(finds(node, input)),
    plan(found: Looked) {
      if (found instanceof OsctlError) throw found;
      return found === undefined ? [] : [{ action: found }];
    },
    already: "it is done already",
    key: never,
    apply: never,
    reconcile: never,
    verify: never,
  };
}

/** A module that changes something. */
export function change(name: string, fake: PaperChange = {}): Module {
  return {
    kind: "change",
    ...makeHead(name, fake),
    operation: operation(name, fake),
    prepare: (_, input) => ({ input }),
  };
}

/** A module that looks; plans do not run it. */
export function look(name: string, fake: PaperChange = {}): Module {
  return { kind: "read", ...makeHead(name, fake), read: never };
}

/** A module that is prepared as the test says. */
export function prepareInputs(
  name: string,
  prepare: ChangingModule["prepare"],
  fake: PaperChange = {},
): Module {
  const own = operation(name, fake);
  return { kind: "change", ...makeHead(name, fake), operation: own, prepare };
}

/** A check that finds what the test says. */
export function check(
  name: string,
  finds: (node: string) => CheckResult,
  more: Partial<Pick<Check, "scope" | "input">> = {},
): Check {
  return {
    name,
    summary: "For tests",
    scope: more.scope ?? "cluster",
    input: more.input ?? nothing,
    run: async ({ node = "" }) => await Promise.resolve(finds(node)),
  };
}

/** A rule that says no. */
export function refusal(reason: string): RefusedError {
  return new RefusedError(reason);
}

export interface Paper {
  /** Modules. */
  readonly modules?: readonly Module[];
  /** Checks. */
  readonly checks?: readonly Check[];
  /** Nodes; default the usual ones. */
  readonly nodes?: readonly NodeFacts[];
  /** Runbooks that are used, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Values of inputs. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Only these nodes. */
  readonly limit?: readonly string[];
  readonly etcd?: Partial<EtcdFacts>;
  /** Present moment; default 2026-11-20T12:00:00Z, a Friday. */
  readonly now?: string;
}

/** Reads a runbook; its head is added. */
export async function loadScope(
  text: string,
  { modules = [], checks = [], files = {} }: Paper,
): Promise<{ readonly runbook: Runbook; readonly found: FoundNames }> {
  const find = {
    module: (name: string) =>
      Promise.resolve(modules.find((one) => one.name === name)),
    modules: modules.map(({ name }) => name),
    check: (name: string) => checks.find((one) => one.name === name),
    checks: checks.map(({ name }) => name),
  };
  const all: Readonly<Record<string, string>> = {
    "a.yaml": `${head("a")}${text}`,
    ...files,
  };
  const { runbook } = await loadRunbook("a.yaml", {
    find,
    read: (path) => Promise.resolve(all[path.replace(/^\.\//, "")]),
  });
  const { steps, rescue, always } = runbook;
  const names = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
  return { runbook, found: await findAll(names, find) };
}

/** The first lines of a runbook. */
export function head(name: string): string {
  return `apiVersion: osctl/v1\nkind: Runbook\nname: ${name}\ntitle: A test\n`;
}

/** Facts of a cluster of these nodes. */
export function toFacts(nodes: readonly NodeFacts[]): Facts {
  const cluster = {
    id: "c1",
    name: "prod",
    endpoint: "https://prod:6443",
    versions: ["v1.13.4"],
  };
  return { cluster, nodes, readAt: 0 };
}

export async function planRequest(
  text: string,
  paper: Paper = {},
): Promise<RunPlanRequest> {
  const { nodes = usual, inputs = {}, limit, checks = [], etcd } = paper;
  const { runbook, found } = await loadScope(text, paper);
  const facts = toFacts(nodes);
  const now = Date.parse(paper.now ?? "2026-11-20T12:00:00Z");
  return {
    runbook,
    found,
    inputs,
    facts,
    cluster: makeCluster(facts, etcd),
    checks: new Map(checks.map((one) => [one.name, one])),
    ring: {
      home: { name: "prod", endpoints: [], nodes: [] },
      add: never,
      names: () => ["context"],
      at: never,
    },
    clock: { now: () => now, sleep: never },
    signal: new AbortController().signal,
    parallel: 4,
    ...(limit === undefined ? {} : { limit: new Set(limit) }),
  };
}

function makeCluster(
  facts: Facts,
  etcd: Partial<EtcdFacts> = {},
): RunCluster {
  const members = facts.nodes.filter(({ etcd }) => etcd.member);
  const client = (name: string) =>
    // Modules of these tests ask for nothing.
    Promise.resolve({ node: name } as unknown as NodeClient);
  const about: EtcdFacts = {
    members: members.map(({ name, etcd: { learner } }) => ({
      id: `id-${name}`,
      name,
      learner,
    })),
    healthy: members.filter((one) => one.etcd.healthy)
      .map(({ name }) => `id-${name}`),
    alarms: [],
    leader: members.filter((one) => one.etcd.leader)
      .map(({ name }) => `id-${name}`).join(),
    silent: [],
    doubts: [],
    readAt: 0,
    ...etcd,
  };
  const readEtcd = () =>
    Promise.resolve({
      facts: about,
      memberOf: new Map(members.map(({ name }) => [name, `id-${name}`])),
    });
  return {
    view: { readEtcd } as unknown as RunCluster["view"],
    at: client,
    any: () => client(""),
    readFacts: never,
    readAgain: never,
  };
}

/** Plans a runbook on paper. */
export async function makeTextPlan(
  text: string,
  paper: Paper = {},
): Promise<Plan> {
  return await makePlan(await planRequest(text, paper));
}

/** All stages, those in others as well. */
export function stagesIn(stages: readonly PlanStage[]): readonly PlanStage[] {
  return stages.flatMap((stage) =>
    stage.verb === "forEach" || stage.verb === "block"
      ? [stage, ...stagesIn([...stage.steps, ...stage.rescue, ...stage.always])]
      : [stage]
  );
}

/** A stage by its path. */
export function stageAt(plan: Plan, path: string): PlanStage {
  const found = stagesIn([...plan.stages, ...plan.rescue, ...plan.always])
    .find((stage) => stage.path === path);
  if (found === undefined) throw new Error(`No stage "${path}"`);
  return found;
}

export function previewsAt(plan: Plan, path: string): readonly string[] {
  const stage = stageAt(plan, path);
  if (stage.verb !== "run") throw new Error(`"${path}" runs nothing`);
  return stage.previews.map(previewText);
}

function previewText({ node, outcome, actions, reason }: Preview): string {
  const done = actions.map(({ action }) => action).join(", ");
  return [node, outcome, done, reason].filter(Boolean).join(" ");
}

export function unknownsIn({ unknowns }: Plan): readonly string[] {
  return unknowns.map(({ path, what, expression, needs }) =>
    `${path} ${what}: ${expression} <- ${needs.join(", ")}`
  );
}
