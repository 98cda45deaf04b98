/** Kubernetes conditions of a healthy cluster: nodes and system pods. */

import { runtimeName } from "../../../talos.ts";
import { type KubernetesObject, readFields } from "../../kubernetes/client.ts";
import { type KubernetesNode, listNodes } from "../../kubernetes/nodes.ts";
import { readObjects } from "../../kubernetes/objects.ts";
import { type CheckResult, holds, lacks, skip, unless } from "../check.ts";
import type { HealthContext, HealthNode } from "./health_context.ts";

const namespace = "kube-system";

/** Control plane components, by pod label. */
const components = [
  "kube-apiserver",
  "kube-scheduler",
  "kube-controller-manager",
] as const;

/** Kubernetes lists exactly the expected nodes. */
export async function nodesReported(
  context: HealthContext,
): Promise<CheckResult> {
  const { controlPlanes, workers } = context.nodes;
  const expected = [...controlPlanes, ...workers];
  return unless(mismatches(expected, await nodesIn(context)), "");
}

/** No Kubernetes node is in a state: `cordoned`. */
export async function noNode(
  context: HealthContext,
  state: string,
  isWrong: (node: KubernetesNode) => boolean,
): Promise<CheckResult> {
  const wrong = (await nodesIn(context)).filter(isWrong);
  return unless(wrong.map(({ name }) => `${name} is ${state}`), "");
}

/** Every control plane has that role in Kubernetes, and its components are ready. */
export async function controlPlaneReady(
  context: HealthContext,
): Promise<CheckResult> {
  const { controlPlanes } = context.nodes;
  const labelled = (await nodesIn(context)).filter(({ labels }) =>
    "node-role.kubernetes.io/control-plane" in labels
  );
  const wrong = mismatches(controlPlanes, labelled)
    .map((text) => `${text} as a control plane`);
  if (wrong.length > 0) return unless(wrong, "");
  const problems = await Promise.all(
    components.map(async (app) => {
      const pods = await podsWith(context, `k8s-app=${app}`);
      return pods.length === controlPlanes.length
        ? unreadyProblem(pods)
        : `${pods.length} pods of ${app} instead of ${controlPlanes.length}`;
    }),
  );
  return unless(problems.flatMap((problem) => problem ?? []), "");
}

/** All desired pods of a workload are ready. */
export async function workloadReady(
  context: HealthContext,
  kind: "DaemonSet" | "Deployment",
  app: string,
): Promise<CheckResult> {
  const labelSelector = `k8s-app=${app}`;
  const kubernetes = await context.kubernetes();
  const choice = { apiVersion: "apps/v1", kind, namespace, labelSelector };
  const [workload] = await readObjects(kubernetes, choice, context.signal);
  if (workload === undefined) {
    return skip(`there is no ${kind} ${labelSelector}`);
  }
  const all = (await podsWith(context, labelSelector)).filter(isAtWork);
  const foreign = new Set(
    (await foreignNodes(context)).map(({ name }) => name),
  );
  const pods = all.filter(({ spec }) =>
    !foreign.has(String(readFields(spec).nodeName))
  );
  const unready = unreadyProblem(pods);
  if (unready !== undefined) return lacks(unready);
  const expected = Number(
    (kind === "DaemonSet"
      ? readFields(workload.status).desiredNumberScheduled
      : readFields(workload.spec).replicas) ?? 0,
  ) - (all.length - pods.length);
  return pods.length === expected && pods.length > 0
    ? holds("")
    : lacks(`${pods.length} of ${expected} pods are ready`);
}

/** Compares expected and Kubernetes nodes by address; one line for each missing or unexpected node. */
function mismatches(
  expected: readonly HealthNode[],
  actual: readonly Pick<KubernetesNode, "name" | "addresses">[],
): readonly string[] {
  const have = new Set(actual.flatMap(({ addresses }) => addresses));
  const want = new Set(expected.flatMap(({ addresses }) => addresses));
  return [
    ...expected.filter((node) => !node.addresses.some((one) => have.has(one)))
      .map(({ address }) => `${address} is missing in Kubernetes`),
    ...actual.filter((node) => !node.addresses.some((one) => want.has(one)))
      .map(({ name }) => `${name} is in Kubernetes and not expected`),
  ];
}

/** Kubernetes nodes without the removed one and ignored ones. */
async function nodesIn(
  context: HealthContext,
): Promise<readonly KubernetesNode[]> {
  const { kubernetes, signal, gone = "" } = context;
  const all = await listNodes(await kubernetes(), signal);
  const isForeign = foreignTo(context);
  return all.filter((node) =>
    node.name !== gone && !node.addresses.includes(gone) && !isForeign(node)
  );
}

/** Ignored Kubernetes nodes; none unless skipped. */
export async function foreignNodes(
  context: HealthContext,
): Promise<readonly KubernetesNode[]> {
  const { kubernetes, signal, skipForeign = false } = context;
  if (!skipForeign) return [];
  return (await listNodes(await kubernetes(), signal)).filter(
    foreignTo(context),
  );
}

/**
 * Recognizes ignored nodes: non-members with another operating system. A non-member with our OS is a former member
 * that discovery has dropped after a long outage.
 */
function foreignTo(
  { nodes: { controlPlanes, workers }, skipForeign = false }: HealthContext,
): (node: KubernetesNode) => boolean {
  const expected = new Set(
    [...controlPlanes, ...workers].flatMap(({ addresses }) => addresses),
  );
  return ({ addresses, system }) =>
    skipForeign && !system.startsWith(`${runtimeName} `) &&
    !addresses.some((one) => expected.has(one));
}

async function podsWith(
  { kubernetes, signal }: HealthContext,
  labelSelector: string,
): Promise<readonly KubernetesObject[]> {
  const choice = { apiVersion: "v1", kind: "Pod", namespace, labelSelector };
  return await readObjects(await kubernetes(), choice, signal);
}

/** Ignores pods that are terminating, have failed, or ended with their node's last shutdown. */
function isAtWork({ metadata, status }: KubernetesObject): boolean {
  const { phase, containerStatuses } = readFields(status);
  const containers = readList(containerStatuses);
  const ended = containers.length > 0 &&
    containers.every(({ state }) => readFields(state).terminated !== undefined);
  const going = readFields(metadata).deletionTimestamp !== undefined;
  return !going && phase !== "Failed" && !ended;
}

function unreadyProblem(pods: readonly KubernetesObject[]): string | undefined {
  const unready = pods.filter(({ status }) =>
    !readList(readFields(status).conditions).some(({ type, status }) =>
      type === "Ready" && status === "True"
    )
  ).map(({ metadata }) => metadata?.name ?? "");
  return unready.length === 0
    ? undefined
    : `pods are not ready: ${unready.join(", ")}`;
}

function readList(value: unknown): readonly ReturnType<typeof readFields>[] {
  return Array.isArray(value) ? value.map(readFields) : [];
}
