/** Node objects of the simulated Kubernetes, as their kubelets report them. */

import { domain, runtimeName } from "../../talos.ts";
import type { SimulatedNode } from "../state/node.ts";
import { readSettings, type Texts } from "../state/node_settings.ts";
import { runningRelease, runningTag } from "../release/release.ts";
import { type Certificate, includesCa } from "../state/trust.ts";
import { registerNode } from "../node/readiness.ts";
import {
  nodeLabels,
  nodeTaints,
  parseTaint,
} from "../node/contents/settings.ts";
import {
  isReady,
  kinds,
  type KubeObject,
  type ObjectFields,
  readConditions,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";
import { hasKubelet } from "./availability.ts";
import { type KubernetesState, timestamp } from "./store.ts";

/** Reports of all kubelets: registers new nodes and updates the others. */
export function syncNodes(state: KubernetesState): void {
  const { store, cluster } = state;
  const servers = configuredServers(cluster.nodes);
  const reporting = new Map<string, SimulatedNode>();
  for (const node of cluster.nodes) {
    if (!hasKubelet(node) || !isTrustedBy(servers, node)) continue;
    const name = node.identity.hostname;
    reporting.set(name, node);
    if (store.find(kinds.nodes, { name })) continue;
    const metadata = { name, labels: makeLabels(node), annotations: {} };
    store.create(kinds.nodes, { metadata, spec: {}, status: {} });
  }
  for (const object of store.list(kinds.nodes)) {
    const node = reporting.get(object.metadata.name);
    sync(state, object, node);
    if (node !== undefined) updateStatus(node, object);
  }
}

/** Writes into the resources of a node whether its object is cordoned. */
function updateStatus(node: SimulatedNode, object: KubeObject): void {
  const isCordoned = isClosed(object);
  if (node.kubernetes.isCordoned === isCordoned) return;
  node.kubernetes.isCordoned = isCordoned;
  registerNode(node);
}

function isClosed({ spec }: KubeObject): boolean {
  return readFields(spec).unschedulable === true;
}

/** Cache of up-to-date objects with their inputs, as every request syncs them. */
const synced = new WeakMap<KubeObject, readonly unknown[]>();

function listCauses(
  node: SimulatedNode | undefined,
  kubernetes: string,
): readonly unknown[] {
  if (node === undefined) return [];
  const { identity, boot } = node;
  return [
    identity,
    boot.id,
    runningTag(node),
    readSettings(node),
    boot.resources.get(kubeletKey),
    kubernetes,
  ];
}

function sync(
  { store, clock, cluster }: KubernetesState,
  object: KubeObject,
  node: SimulatedNode | undefined,
): void {
  const causes = listCauses(node, cluster.kubernetes);
  const before = synced.get(object);
  const isKnown = before?.length === causes.length &&
    before.every((cause, index) => cause === causes[index]);
  if (isKnown) return;
  const now = timestamp(clock.now());
  const wasReady = isReady(object);
  const isNew = readConditions(object).length === 0;
  const { metadata, taints: kept } = node === undefined
    ? { metadata: object.metadata, taints: ownTaints(object) }
    : applyMetadata(node, object);
  const spec = {
    ...object.spec,
    taints: [...kept, ...conditionTaints(object, node !== undefined)],
  };
  const status = node === undefined
    ? { ...object.status }
    : { ...object.status, ...makeReport(node, cluster.kubernetes) };
  const isSame = !isNew && wasReady === (node !== undefined) &&
    JSON.stringify([metadata, spec, status]) ===
      JSON.stringify([object.metadata, object.spec, object.status]);
  if (isSame) return void synced.set(object, causes);
  const isChanged = isNew || wasReady !== (node !== undefined);
  store.replace(kinds.nodes, {
    ...object,
    metadata,
    spec,
    status: {
      ...status,
      conditions: isChanged
        ? [readiness(node !== undefined, now)]
        : status.conditions,
    },
  });
}

function makeLabels({ identity }: SimulatedNode) {
  return {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": identity.hostname,
    "kubernetes.io/os": "linux",
  };
}

function makeReport(node: SimulatedNode, kubernetes: string): ObjectFields {
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

function kubeletVersion({ boot }: SimulatedNode): string | undefined {
  const found = boot.resources.get(kubeletKey);
  return /:(v[^@]+)/.exec(String(readFields(found?.spec).image))?.[1];
}

const kubeletKey = {
  namespace: "k8s",
  type: `KubeletSpecs.kubernetes.${domain}`,
  id: "kubelet",
};

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

interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
}

const unschedulable = "node.kubernetes.io/unschedulable";
const unreachable = "node.kubernetes.io/unreachable";

function conditionTaints(
  object: KubeObject,
  ready: boolean,
): readonly Taint[] {
  return [
    ...isClosed(object) ? [unschedulable] : [],
    ...ready ? [] : [unreachable],
  ].map((key) => ({ key, effect: "NoSchedule" }));
}

function ownTaints({ spec }: KubeObject): readonly Taint[] {
  return readList(readFields(spec).taints)
    .filter(({ key }) => key !== unschedulable && key !== unreachable)
    // As accepted by the API.
    .map((taint) => taint as unknown as Taint);
}

/**
 * Applies labels, annotations and taints of the configuration to an object. A node changes and removes only its own,
 * which it records in annotations; others are kept.
 */
function applyMetadata(
  node: SimulatedNode,
  object: KubeObject,
): Pick<KubeObject, "metadata"> & { readonly taints: readonly Taint[] } {
  const { labels = {}, annotations = {} } = object.metadata;
  const ownedBy = (kind: string): readonly string[] =>
    JSON.parse(annotations[`${domain}/owned-${kind}`] ?? "[]");
  const newLabels = takeOver(labels, nodeLabels(node), ownedBy("labels"));
  const newAnnotations = takeOver(
    annotations,
    readSettings(node).annotations,
    ownedBy("annotations"),
  );
  const taints = ownTaints(object);
  const newTaints = takeOver(
    Object.fromEntries(taints.map(({ key, value = "", effect }) => [
      key,
      value === "" ? effect : `${value}:${effect}`,
    ])),
    nodeTaints(node),
    ownedBy("taints"),
  );
  const owned = {
    labels: newLabels.owned,
    annotations: newAnnotations.owned,
    taints: newTaints.owned,
  };
  const notes = Object.entries(owned).map(([kind, keys]) =>
    [`${domain}/owned-${kind}`, keys] as const
  );
  const others = Object.entries(newAnnotations.texts)
    .filter(([key]) => !notes.some(([note]) => note === key));
  return {
    metadata: {
      ...object.metadata,
      labels: newLabels.texts,
      annotations: Object.fromEntries([
        ...others,
        ...notes.flatMap(([note, keys]) =>
          keys.length === 0 ? [] : [[note, JSON.stringify(keys)]]
        ),
      ]),
    },
    taints: Object.entries(newTaints.texts).map(([key, text]) => {
      const { effect, value } = parseTaint(text);
      return { key, effect, ...value === "" ? {} : { value } };
    }),
  };
}

/** Merges the configured entries, unless other clients have set them differently. */
function takeOver(
  texts: Texts,
  wanted: Texts,
  owned: readonly string[],
): { readonly texts: Texts; readonly owned: readonly string[] } {
  const taken = Object.keys(wanted).filter((key) =>
    !Object.hasOwn(texts, key) || texts[key] === wanted[key] ||
    owned.includes(key)
  );
  const kept = Object.entries(texts).filter(([key]) =>
    Object.hasOwn(wanted, key) || !owned.includes(key)
  );
  const set = taken.map((key) => [key, wanted[key]]);
  return {
    texts: Object.fromEntries([...kept, ...set]),
    owned: taken.toSorted(),
  };
}

interface ServerTrust {
  readonly issuer: { readonly certificate: Certificate };
  readonly accepted: readonly Certificate[];
}

function configuredServers(
  nodes: readonly SimulatedNode[],
): readonly ServerTrust[] {
  return nodes.flatMap(({ kubernetes: { trust }, disk: { configured } }) =>
    configured && trust.issuer
      ? [{ issuer: trust.issuer, accepted: trust.accepted }]
      : []
  );
}

/**
 * True if any API server accepts the kubelet of a node.
 *
 * A kubelet without a certificate, or with one of a CA that its node
 * no longer trusts, gets a new one with its bootstrap token.
 */
function isTrustedBy(
  all: readonly ServerTrust[],
  { kubernetes, faults }: SimulatedNode,
): boolean {
  if (faults.has("kubelet-silent")) return false;
  const { accepted } = kubernetes.trust;
  const servers = all.filter(({ issuer }) => includesCa(accepted, issuer));
  const known = kubernetes.kubelet;
  const kubelet = known && includesCa(accepted, { certificate: known })
    ? known
    : servers[0]?.issuer.certificate;
  kubernetes.kubelet = kubelet;
  return kubelet !== undefined &&
    servers.some((one) => includesCa(one.accepted, { certificate: kubelet }));
}
