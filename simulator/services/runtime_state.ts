/** Containers, processes, mounts and sockets of a node. */

import { RpcError } from "../../errors.ts";
import { ContainerDriver } from "../../transport/gen/common.ts";
import {
  type NetstatRequest,
  NetstatRequest_Filter as Filter,
} from "../../transport/gen/machine_system.ts";
import {
  type ContainerFacts,
  kubernetesContainers,
  systemContainers,
} from "../node/containers.ts";
import { mountTable } from "../node/mounts.ts";
import type { SimulatedNode } from "../state/node.ts";
import { listProcesses } from "../node/processes.ts";
import { listSockets, type SocketFacts } from "../node/sockets.ts";
import {
  serviceFacts,
  startService,
  stopService,
} from "../node/system_services.ts";
import type { MachineHandlers } from "./handlers.ts";

/** `Containers`, `Stats`, `Processes`, `Mounts` and `Netstat`. */
export const runtimeState: MachineHandlers = {
  containers({ namespace, driver }, { node }) {
    const containers = listContainers(node, namespace, driver);
    return {
      messages: [{
        containers: containers.map((container) => ({
          ...container,
          namespace,
        })),
      }],
    };
  },
  stats({ namespace, driver }, { node }) {
    const stats = listContainers(node, namespace, driver);
    return {
      messages: [{
        stats: stats.map(({ id, podId, name, memory, cpu }) => ({
          namespace,
          id,
          podId,
          name,
          memoryUsage: BigInt(memory),
          cpuUsage: BigInt(cpu),
        })),
      }],
    };
  },
  processes: (_, { node }) => ({
    messages: [{ processes: [...listProcesses(node)] }],
  }),
  mounts: (_, { node }) => ({
    messages: [{
      stats: mountTable(node).map((
        { filesystem, target, size, available },
      ) => ({
        filesystem,
        mountedOn: target,
        size: BigInt(size),
        available: BigInt(available),
      })),
    }],
  }),
  netstat: (request, { node }) => ({
    messages: [{
      connectrecord: listSockets(node)
        .filter((socket) => isAsked(socket, request))
        .map((socket) => toRecord(socket, request)),
    }],
  }),
};

function isAsked(
  { protocol, remote, netns }: SocketFacts,
  { filter, l4proto, netns: asked }: NetstatRequest,
): boolean {
  if (l4proto?.[protocol] !== true) return false;
  const inNamespace = netns === ""
    ? asked?.hostnetwork
    : asked?.allnetns || asked?.netns.includes(netns);
  if (!inNamespace) return false;
  if (filter === Filter.ALL) return true;
  return (filter === Filter.CONNECTED) === (remote.port !== 0);
}

function toRecord(socket: SocketFacts, { feature }: NetstatRequest) {
  const { protocol, local, remote, timer, timerWhen, inode } = socket;
  return {
    l4proto: protocol,
    localip: local.ip,
    localport: local.port,
    remoteip: remote.ip,
    remoteport: remote.port,
    state: socket.state,
    tr: timer,
    timerwhen: BigInt(timerWhen),
    uid: socket.uid,
    inode: BigInt(inode),
    ref: 2n,
    process: feature?.pid ? socket.process : {},
    netns: socket.netns,
  };
}

/**
 * Lists the containers of a namespace in a runtime.
 *
 * @throws {RpcError} UNKNOWN for a foreign namespace in the Kubernetes runtime.
 */
function listContainers(
  node: SimulatedNode,
  namespace: string,
  driver: ContainerDriver,
): readonly ContainerFacts[] {
  if (driver === ContainerDriver.CRI) {
    if (namespace === "k8s.io") return kubernetesContainers(node);
    throw new RpcError(
      "UNKNOWN",
      "CRI inspector is supported only for K8s namespace",
    );
  }
  if (namespace === "k8s.io") return kubernetesContainers(node);
  return namespace === "system" ? systemContainers(node) : [];
}

/** `Restart`: the container is stopped, and its manager starts a new one. */
export const restart: MachineHandlers = {
  restart({ namespace, id, driver }, { node }) {
    const containers = listContainers(node, namespace, driver);
    const container = containers.find((one) =>
      driver === ContainerDriver.CRI ? isNamed(one, id) : one.id === id
    );
    if (!container) {
      throw new RpcError("UNKNOWN", `container "${id}" not found`);
    }
    if (Object.hasOwn(serviceFacts, id)) restartService(node, id);
    else countRestart(node, container);
    return { messages: [{}] };
  },
};

/** Matches `namespace/pod` for its sandbox, or `namespace/pod:container`, optionally with a part of the container ID. */
function isNamed(
  { id, podId, name, internalId }: ContainerFacts,
  text: string,
): boolean {
  const [pod, container, part = ""] = text.split(":");
  return container === undefined
    ? id === pod
    : podId === pod && name === container && internalId.includes(part);
}

function countRestart(
  { boot: { podRestarts } }: SimulatedNode,
  { podId, name }: ContainerFacts,
): void {
  const key = name === podId ? podId : `${podId}:${name}`;
  podRestarts.set(key, (podRestarts.get(key) ?? 0) + 1);
}

function restartService(node: SimulatedNode, id: string): void {
  stopService(node, id);
  startService(node, id);
  // Its restart breaks every connection, after the reply was sent on this one.
  if (id === "apid") {
    node.work(node.clock.sleep(100).then(node.network.disconnect));
  }
}
