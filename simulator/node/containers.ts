import type { ContainerInfo } from "../../transport/gen/machine.ts";
import { findRelease } from "../../config/releases.ts";
import { readFields, readList } from "../state/kubernetes_objects.ts";
import { toKey } from "./contents/content.ts";
import { staticPodImage, staticPods } from "./contents/kubernetes.ts";
import { listContainers, podName, podNamespace } from "./contents/settings.ts";
import { type SimulatedNode, upSeconds } from "../state/node.ts";
import { readSettings } from "../state/node_settings.ts";
import { createHistory, type HistoryBuffer } from "../wire/history_buffer.ts";
import { runningRelease } from "../release/release.ts";
import { findPid } from "./system_services.ts";

/** A container, or the sandbox of a pod; the id is the displayed name: `kube-system/pod:container:0123456789ab`. */
export type ContainerFacts = Omit<ContainerInfo, "namespace"> & {
  /** Memory in use, in bytes. */
  readonly memory: number;
  /** CPU time used, in nanoseconds. */
  readonly cpu: number;
};

/** Containers of the operating system. */
export function systemContainers(
  node: SimulatedNode,
): readonly ContainerFacts[] {
  const services = ["apid", "trustd"]
    .filter((id) => node.boot.services.get(id)?.state === "Running")
    // They run a program of the operating system, from no image.
    .map((id) => [id, ""] as const);
  return [...services, ...node.boot.debugContainers]
    .map(([id, image]) => ({
      id,
      internalId: id,
      podId: id,
      name: id,
      image,
      pid: findPid(node, id),
      status: "RUNNING",
      networkNamespace: "",
      uid: "",
      ...measureUsage(node, id, { memory: 24_510_464, cpu: 1_482_000_000 }),
    }));
}

/** Kubernetes containers: the sandbox of every pod, followed by its containers. */
export function kubernetesContainers(
  node: SimulatedNode,
): readonly ContainerFacts[] {
  if (node.boot.services.get("kubelet")?.state !== "Running") return [];
  return listPods(node).flatMap((
    {
      namespace = "kube-system",
      pod,
      container,
      image,
      networkNamespace = "",
      uid = uuidFrom(`${node.identity.uuid}/${pod}`),
    },
    index,
  ) => {
    const podId = `${namespace}/${pod}`;
    const { podRestarts } = node.boot;
    const sandbox = podRestarts.get(podId) ?? 0;
    const restarts = sandbox + (podRestarts.get(`${podId}:${container}`) ?? 0);
    const pid = 2600 + index * 60;
    const common = {
      podId,
      networkNamespace,
      uid,
    };
    const again = restarts === 0 ? "" : `/${restarts}`;
    const internalId = shortId(`${node.identity.uuid}/${pod}${again}`);
    return [
      {
        ...common,
        id: podId,
        internalId: shortId(sandbox === 0 ? pod : `${pod}/${sandbox}`),
        name: podId,
        image: findRelease(runningRelease(node).tag).pause,
        pid: pid + sandbox,
        status: "SANDBOX_READY",
        // The pause process uses little memory.
        memory: 282_624,
        cpu: 31_000_000,
      },
      {
        ...common,
        id: `${podId}:${container}:${internalId.slice(0, 12)}`,
        internalId,
        name: container,
        image,
        pid: pid + 30 + restarts,
        status: "CONTAINER_RUNNING",
        ...measureUsage(node, pod, { memory: 46_137_344, cpu: 8_214_000_000 }),
      },
    ];
  });
}

/**
 * Current usage of a container: CPU time grows by 1 to 4 % of one CPU, and memory varies by 10 %.
 *
 * @param start Usage right after the boot of the node.
 */
function measureUsage(
  node: SimulatedNode,
  name: string,
  start: Pick<ContainerFacts, "memory" | "cpu">,
): Pick<ContainerFacts, "memory" | "cpu"> {
  const up = upSeconds(node);
  const kind = Number(`0x${shortId(name).slice(-4)}`) % 4;
  const pages = Math.floor(
    start.memory / pageSize * (1 + 0.1 * Math.sin(up / 40 + kind)),
  );
  return {
    memory: pages * pageSize,
    cpu: start.cpu + Math.round(up * (1 + kind) * 1e7),
  };
}

/** Size of a page of memory, in bytes. */
const pageSize = 4096;

/**
 * Log of a container.
 *
 * @param namespace `k8s.io`, or the namespace of the operating system.
 * @returns `undefined` if there is no such container.
 */
export function containerLog(
  node: SimulatedNode,
  namespace: string,
  id: string,
): HistoryBuffer<string> | undefined {
  if (namespace !== "k8s.io") return undefined;
  const container = kubernetesContainers(node).find((one) => one.id === id);
  if (!container) return undefined;
  const known = node.boot.containerLogs.get(id);
  if (known) return known;
  const log = createHistory<string>(1000);
  const time = new Date(node.boot.startedAt).toISOString();
  log.append(`${time} stderr F starting ${container.name}`);
  log.append(`${time} stderr F ${container.name} is ready`);
  node.boot.containerLogs.set(id, log);
  return log;
}

interface NodePod {
  /** Default `kube-system`. */
  readonly namespace?: string;
  readonly pod: string;
  readonly container: string;
  readonly image: string;
  /** Omitted for pods in the host network. */
  readonly networkNamespace?: string;
  /** UID in Kubernetes; default derived from the name. */
  readonly uid?: string;
}

function listPods(node: SimulatedNode): readonly NodePod[] {
  const { hostname } = node.identity;
  const isRegistered = has(node, "NodeStatuses.kubernetes", hostname);
  const own = staticPods.filter((id) => has(node, "StaticPods.kubernetes", id));
  return [
    ...own.map((container) => ({
      pod: `${container}-${hostname}`,
      container,
      image: staticPodImage(node, container),
    })),
    ...readSettings(node).pods.flatMap((pod) =>
      listContainers(pod).map(({ name, image }) => ({
        namespace: podNamespace(pod),
        pod: `${podName(pod)}-${hostname}`,
        container: name,
        image,
      }))
    ),
    ...isRegistered ? scheduledPods(node) : [],
  ];
}

/** Pods scheduled to a node; without a simulated Kubernetes, those of a new cluster. */
function scheduledPods(node: SimulatedNode): readonly NodePod[] {
  const { cluster, identity: { hostname } } = node;
  if (cluster.kubernetesApi === undefined) return initialPods(node);
  return cluster.kubernetesApi.podsOn(hostname).flatMap((object) => {
    const { metadata: { name: pod, namespace = "default", uid } } = object;
    const spec = readFields(object.spec);
    const network = spec.hostNetwork === true
      ? {}
      : { networkNamespace: `cni-${uid}` };
    return readList(spec.containers).map(({ name, image }) => ({
      namespace,
      pod,
      container: String(name),
      image: String(image),
      uid,
      ...network,
    }));
  });
}

function initialPods(node: SimulatedNode): readonly NodePod[] {
  const suffix = shortId(node.identity.uuid).slice(0, 5);
  const { flannel, coreDns } = findRelease(runningRelease(node).tag);
  return [
    {
      pod: `kube-flannel-${suffix}`,
      container: "kube-flannel",
      image: flannel,
    },
    {
      pod: `kube-proxy-${suffix}`,
      container: "kube-proxy",
      image: staticPodImage(node, "kube-proxy"),
    },
    ...node.cluster.nodes.indexOf(node) < 2
      ? [nameServer(suffix, coreDns)]
      : [],
  ];
}

function nameServer(suffix: string, image: string): NodePod {
  const pod = `coredns-${shortId("coredns").slice(0, 10)}-${suffix}`;
  return {
    pod,
    container: "coredns",
    image,
    networkNamespace: `cni-${uuidFrom(`${pod}/network`)}`,
  };
}

function has(
  { boot: { resources } }: SimulatedNode,
  type: string,
  id: string,
): boolean {
  return resources.get(toKey({ type, id })) !== undefined;
}

function uuidFrom(text: string): string {
  const [first, second] = [shortId(text), shortId(`${text}/uid`)];
  return `${first.slice(0, 8)}-${first.slice(8, 12)}-4${first.slice(13)}-a${
    second.slice(1, 4)
  }-${second.slice(4)}`;
}

/** Hash of a text: 16 hexadecimal digits. */
function shortId(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const code of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(code)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
