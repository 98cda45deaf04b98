/** What runs on a node and what is mounted: `Containers`, `Stats`, `Processes`, `Mounts`. */

import { RpcError } from "../../errors.ts";
import { ContainerDriver } from "../../transport/gen/common.ts";
import {
  type ContainerFacts,
  kubernetesContainers,
  systemContainers,
} from "../node/containers.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import { mountTable } from "../node/mounts.ts";
import type { SimulatedNode } from "../node/node.ts";
import { processesOf } from "../node/processes.ts";

/** `Containers`, `Stats`, `Processes` and `Mounts`. */
export const runtimeState: MachineHandlers = {
  containers({ namespace, driver }, { node }) {
    const containers = containersOf(node, namespace, driver);
    return {
      messages: [{
        containers: containers.map((container) => ({
          ...container,
          namespace,
          uid: "",
        })),
      }],
    };
  },
  stats({ namespace, driver }, { node }) {
    const stats = containersOf(node, namespace, driver);
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
    messages: [{ processes: [...processesOf(node)] }],
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
};

/**
 * Containers of a namespace as a runtime knows them.
 *
 * @throws {RpcError} UNKNOWN when the runtime of Kubernetes is asked about another namespace.
 */
export function containersOf(
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
