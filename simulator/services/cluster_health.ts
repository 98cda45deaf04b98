/** Cluster health checks by a control plane: `HealthCheck`. */

import {
  isReady,
  type KubeObject,
  readFields,
} from "../state/kubernetes_objects.ts";
import { RpcError } from "../../errors.ts";
import type { ClusterServiceDefinition } from "../../transport/gen/cluster.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import type { SimulatedCluster, SimulatedNode } from "../state/node.ts";
import type { Handlers } from "./handlers.ts";

/** Polling interval, in milliseconds. */
const everyMs = 5_000;

/** `HealthCheck`; it always checks the nodes of the cluster, regardless of the request. */
export const clusterHealth: Handlers<typeof ClusterServiceDefinition> = {
  async *healthCheck({ waitTimeout }, { node, signal }) {
    const { clock, cluster } = node;
    const { seconds = 0n, nanos = 0 } = waitTimeout ?? {};
    const end = clock.now() + Number(seconds) * 1_000 + nanos / 1e6;
    const addresses = cluster.nodes.map(({ identity }) =>
      `"${identity.address}"`
    );
    yield { message: `discovered nodes: [${addresses.join(" ")}]` };
    for (const { name, problem } of conditions) {
      let last = "...";
      yield { message: `waiting for ${name}: ${last}` };
      while (true) {
        const found = problem?.(cluster);
        if (found === undefined) break;
        if (found !== last) yield { message: `waiting for ${name}: ${found}` };
        last = found;
        if (clock.now() >= end) {
          throw new RpcError("DEADLINE_EXCEEDED", "context deadline exceeded");
        }
        await clock.sleep(Math.min(everyMs, end - clock.now()), signal);
        signal.throwIfAborted();
      }
      yield { message: `waiting for ${name}: OK` };
    }
  },
};

/** A health condition; they are awaited in order. */
interface HealthCondition {
  readonly name: string;
  /** Omitted if it always holds. */
  readonly problem?: (cluster: SimulatedCluster) => string | undefined;
}

const conditions: readonly HealthCondition[] = [
  {
    name: "etcd to be healthy",
    problem: ({ nodes }) => serviceProblem(controlPlanes(nodes), "etcd"),
  },
  { name: "etcd members to be consistent across nodes" },
  { name: "etcd members to be control plane nodes" },
  {
    name: "apid to be ready",
    problem: ({ nodes }) => unreachableProblem(nodes),
  },
  { name: "all nodes memory sizes" },
  { name: "all nodes disk sizes" },
  { name: "no diagnostics" },
  {
    name: "kubelet to be healthy",
    problem: ({ nodes }) => serviceProblem(controlPlanes(nodes), "kubelet"),
  },
  {
    name: "all nodes to finish boot sequence",
    problem: ({ nodes }) => unreachableProblem(nodes) ?? bootProblem(nodes),
  },
  {
    name: "all k8s nodes to report",
    problem: (cluster) =>
      objects(cluster).length === cluster.nodes.length
        ? undefined
        : "can't find expected node",
  },
  { name: "all control plane static pods to be running" },
  { name: "all control plane components to be ready" },
  {
    name: "all k8s nodes to report ready",
    problem: (cluster) =>
      nodesProblem(cluster, "ready", (node) => !isReady(node)),
  },
  { name: "kube-proxy to report ready" },
  { name: "coredns to report ready" },
  {
    name: "all k8s nodes to report schedulable",
    problem: (cluster) =>
      nodesProblem(
        cluster,
        "schedulable",
        ({ spec }) => spec?.unschedulable === true,
      ),
  },
];

function controlPlanes(
  nodes: readonly SimulatedNode[],
): readonly SimulatedNode[] {
  return nodes.filter(({ identity }) => identity.machineType !== "worker");
}

function unreachableProblem(
  nodes: readonly SimulatedNode[],
): string | undefined {
  const gone = nodes.find(({ boot: { reachable } }) => !reachable);
  return gone &&
    `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ${gone.identity.address}:50000: connect: connection refused"`;
}

function serviceProblem(
  nodes: readonly SimulatedNode[],
  id: string,
): string | undefined {
  const gone = unreachableProblem(nodes);
  if (gone !== undefined) return gone;
  for (const { identity: { address }, boot: { services } } of nodes) {
    const service = services.get(id);
    const event = service?.events.at(-1);
    if (service === undefined || event === undefined) {
      return `${address}: no events recorded yet for service "${id}"`;
    }
    if (service.state !== "Running") {
      return `${address}: service "${id}" not in expected state "Running": current state [${service.state}] ${event.message}`;
    }
    if (!service.health.healthy) {
      return `${address}: service is not healthy: ${id}`;
    }
  }
  return undefined;
}

function bootProblem(nodes: readonly SimulatedNode[]): string | undefined {
  const late = nodes.filter(({ boot: { stage } }) => stage !== Stage.RUNNING);
  if (late.length === 0) return undefined;
  const addresses = late.map(({ identity }) => identity.address).join(" ");
  return `nodes are not running: [${addresses}]`;
}

function objects({ kubernetesApi }: SimulatedCluster): readonly KubeObject[] {
  const path = "/api/v1/nodes";
  const { items } = readFields(
    kubernetesApi?.request({ method: "GET", path }).body,
  );
  // The response comes from the simulated API.
  return (items ?? []) as readonly KubeObject[];
}

function nodesProblem(
  cluster: SimulatedCluster,
  word: string,
  isWrong: (node: KubeObject) => boolean,
): string | undefined {
  const wrong = objects(cluster).filter(isWrong)
    .map(({ metadata }) => metadata.name);
  return wrong.length === 0
    ? undefined
    : `some nodes are not ${word}: [${wrong.join(" ")}]`;
}
