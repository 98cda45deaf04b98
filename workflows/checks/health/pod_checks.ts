/** Kubernetes of a healthy cluster: its own pods. */

import { fieldsOf, type KubernetesObject } from "../../kubernetes/client.ts";
import { readObjects } from "../../kubernetes/objects.ts";
import {
  type HealthCheck,
  type HealthFinding,
  type HealthSite,
  waitingFor,
} from "./health_check.ts";
import { mismatches, nodesIn } from "./kubernetes_checks.ts";

const limitMs = 5 * 60_000;
const namespace = "kube-system";

/** Parts of the control plane, by the label of their pods. */
const components = [
  "kube-apiserver",
  "kube-scheduler",
  "kube-controller-manager",
] as const;

/** Every control plane has that role in Kubernetes, and its parts are ready. */
export const controlPlaneReady: HealthCheck = {
  name: "all control plane components to be ready",
  limitMs,
  async look(site) {
    const { controlPlanes } = site.nodes;
    const labelled = (await nodesIn(site)).filter(({ labels }) =>
      "node-role.kubernetes.io/control-plane" in labels
    );
    const wrong = mismatches(controlPlanes, labelled)
      .map((text) => `${text} as a control plane`);
    if (wrong.length > 0) return waitingFor(wrong);
    const problems = await Promise.all(
      components.map((app) => componentProblem(site, app)),
    );
    return waitingFor(problems.flatMap((problem) => problem ?? []));
  },
};

/** kube-proxy runs where it is wanted. */
export const kubeProxyReady: HealthCheck = {
  name: "kube-proxy to report ready",
  limitMs,
  look: (site) =>
    workloadReady(site, {
      kind: "DaemonSet",
      labelSelector: "k8s-app=kube-proxy",
      wanted: ({ status }) => fieldsOf(status).desiredNumberScheduled,
    }),
};

/** CoreDNS runs as often as it is wanted. */
export const corednsReady: HealthCheck = {
  name: "coredns to report ready",
  limitMs,
  look: (site) =>
    workloadReady(site, {
      kind: "Deployment",
      labelSelector: "k8s-app=kube-dns",
      wanted: ({ spec }) => fieldsOf(spec).replicas,
    }),
};

async function componentProblem(
  site: HealthSite,
  app: string,
): Promise<string | undefined> {
  const pods = await podsWith(site, `k8s-app=${app}`);
  const expected = site.nodes.controlPlanes.length;
  if (pods.length !== expected) {
    return `${pods.length} pods of ${app} instead of ${expected}`;
  }
  const unready = pods.filter((pod) => !isReady(pod)).map(nameOf);
  return unready.length === 0
    ? undefined
    : `pods are not ready: ${unready.join(", ")}`;
}

/** A workload, and how many pods it wants. */
interface Workload {
  readonly kind: "DaemonSet" | "Deployment";
  readonly labelSelector: string;
  readonly wanted: (object: KubernetesObject) => unknown;
}

async function workloadReady(
  site: HealthSite,
  { kind, labelSelector, wanted }: Workload,
): Promise<HealthFinding> {
  const kubernetes = await site.kubernetes();
  const choice = { apiVersion: "apps/v1", kind, namespace, labelSelector };
  const [workload] = await readObjects(kubernetes, choice, site.signal);
  if (workload === undefined) {
    return { state: "skipped", reason: `there is no ${kind} ${labelSelector}` };
  }
  const pods = (await podsWith(site, labelSelector)).filter(isAtWork);
  const unready = pods.filter((pod) => !isReady(pod)).map(nameOf);
  if (unready.length > 0) {
    return waitingFor([`pods are not ready: ${unready.join(", ")}`]);
  }
  const expected = Number(wanted(workload) ?? 0);
  return waitingFor(
    pods.length === expected && pods.length > 0
      ? []
      : [`${pods.length} of ${expected} pods are ready`],
  );
}

async function podsWith(
  { kubernetes, signal }: HealthSite,
  labelSelector: string,
): Promise<readonly KubernetesObject[]> {
  const choice = { apiVersion: "v1", kind: "Pod", namespace, labelSelector };
  return await readObjects(await kubernetes(), choice, signal);
}

/** Pods that are going, have failed, or ended with their node's last shutdown are not counted. */
function isAtWork({ metadata, status }: KubernetesObject): boolean {
  const { phase, containerStatuses } = fieldsOf(status);
  const containers = listOf(containerStatuses);
  const ended = containers.length > 0 &&
    containers.every(({ state }) => fieldsOf(state).terminated !== undefined);
  const going = fieldsOf(metadata).deletionTimestamp !== undefined;
  return !going && phase !== "Failed" && !ended;
}

function isReady({ status }: KubernetesObject): boolean {
  return listOf(fieldsOf(status).conditions).some(({ type, status }) =>
    type === "Ready" && status === "True"
  );
}

function nameOf({ metadata }: KubernetesObject): string {
  return metadata?.name ?? "";
}

function listOf(value: unknown): readonly ReturnType<typeof fieldsOf>[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
