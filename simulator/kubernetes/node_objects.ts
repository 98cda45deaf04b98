/** Nodes of the simulated Kubernetes, as their kubelets report them. */

import { domain, runtimeName } from "../../dialect.ts";
import { sameBytes } from "../../pki/der.ts";
import type { SimulatedNode } from "../node/node.ts";
import { runningRelease } from "../node/release.ts";
import { includesCa } from "../node/trust.ts";
import {
  conditionsOf,
  fieldsOf,
  isReady,
  kinds,
  type KubeObject,
  type ObjectFields,
} from "./objects.ts";
import { hasKubelet } from "./availability.ts";
import { type KubernetesState, timestamp } from "./store.ts";

/** Label and taint of control planes. */
export const controlPlaneRole = "node-role.kubernetes.io/control-plane";

/** Lets every kubelet report: new nodes are registered, the others are brought up to date. */
export function syncNodes(state: KubernetesState): void {
  const { store, cluster } = state;
  const reporting = new Map(
    cluster.nodes.filter((node) => hasKubelet(node) && isKubeletTrusted(node))
      .map((
        node,
      ) => [node.identity.hostname, node] as const),
  );
  for (const node of reporting.values()) {
    const name = node.identity.hostname;
    if (store.find(kinds.nodes, { name })) continue;
    const metadata = { name, labels: labelsOf(node), annotations: {} };
    store.create(kinds.nodes, { metadata, spec: {}, status: {} });
  }
  for (const object of store.list(kinds.nodes)) {
    sync(state, object, reporting.get(object.metadata.name));
  }
}

function sync(
  { store, clock, cluster }: KubernetesState,
  object: KubeObject,
  node: SimulatedNode | undefined,
): void {
  const now = timestamp(clock.now());
  const wasReady = isReady(object);
  const isNew = conditionsOf(object).length === 0;
  const spec = { ...object.spec, taints: taintsOf(object, node !== undefined) };
  const status = node === undefined
    ? { ...object.status }
    : { ...object.status, ...reportOf(node, cluster.kubernetes) };
  const isSame = !isNew && wasReady === (node !== undefined) &&
    JSON.stringify([spec, status]) ===
      JSON.stringify([object.spec, object.status]);
  if (isSame) return;
  const isChanged = isNew || wasReady !== (node !== undefined);
  store.replace(kinds.nodes, {
    ...object,
    spec,
    status: {
      ...status,
      conditions: isChanged
        ? [readiness(node !== undefined, now)]
        : status.conditions,
    },
  });
}

function labelsOf({ identity }: SimulatedNode) {
  const isControlPlane = identity.machineType === "controlplane";
  return {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": identity.hostname,
    "kubernetes.io/os": "linux",
    ...(isControlPlane ? { [controlPlaneRole]: "" } : {}),
  };
}

function reportOf(node: SimulatedNode, kubernetes: string): ObjectFields {
  const { hostname, address, uuid } = node.identity;
  return {
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: hostname },
    ],
    capacity: resources,
    allocatable: resources,
    nodeInfo: {
      architecture: "amd64",
      bootID: node.boot.id,
      kubeletVersion: kubeletVersion(node) ?? `v${kubernetes}`,
      operatingSystem: "linux",
      osImage: `${runtimeName} (${runningRelease(node).tag})`,
      systemUUID: uuid,
    },
  };
}

/** Version in the image of the kubelet that a node runs. */
function kubeletVersion({ boot }: SimulatedNode): string | undefined {
  const found = boot.resources.get({
    namespace: "k8s",
    type: `KubeletSpecs.kubernetes.${domain}`,
    id: "kubelet",
  });
  return /:(v[^@]+)/.exec(String(fieldsOf(found?.spec).image))?.[1];
}

const resources = { cpu: "4", memory: "8Gi", pods: "110" };

function readiness(ready: boolean, now: string): ObjectFields {
  const what = ready
    ? {
      status: "True",
      reason: "KubeletReady",
      message: "kubelet is posting ready status",
    }
    : {
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    };
  return {
    type: "Ready",
    ...what,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
}

function taintsOf({ metadata, spec }: KubeObject, ready: boolean) {
  const keys = [
    ...(metadata.labels?.[controlPlaneRole] === "" ? [controlPlaneRole] : []),
    ...(fieldsOf(spec).unschedulable === true
      ? ["node.kubernetes.io/unschedulable"]
      : []),
    ...(ready ? [] : ["node.kubernetes.io/unreachable"]),
  ];
  return keys.map((key) => ({ key, effect: "NoSchedule" }));
}

/**
 * Whether some API server lets the kubelet of a node report.
 *
 * A kubelet without a certificate, or with one of a CA that its node
 * does not trust any more, is given another one by its token.
 */
export function isKubeletTrusted(
  { cluster, kubernetes, faults }: SimulatedNode,
): boolean {
  if (faults.has("kubelet-silent")) return false;
  const { accepted } = kubernetes.trust;
  const servers = cluster.nodes.flatMap((
    { kubernetes: { trust }, disk: { configured } },
  ) =>
    configured && trust.issuer && includesCa(accepted, trust.issuer)
      ? [{ ...trust, issuer: trust.issuer }]
      : []
  );
  const known = kubernetes.kubelet;
  const kubelet = known && accepted.some((one) => sameBytes(one, known))
    ? known
    : servers[0]?.issuer.certificate;
  kubernetes.kubelet = kubelet;
  return kubelet !== undefined &&
    servers.some((one) => includesCa(one.accepted, { certificate: kubelet }));
}
