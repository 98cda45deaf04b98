/** System and Kubernetes containers of a node. */

import type { NodeClient } from "../call/client.ts";
import { single } from "../call/reply.ts";
import { ContainerDriver } from "../gen/common.ts";
import type { ContainerInfo } from "../gen/machine_container.ts";

/** Container runtime fields of requests. */
interface ContainerRuntime {
  readonly namespace: "k8s.io" | "system";
  /** Driver used by the node. */
  readonly driver: ContainerDriver;
}

/** Returns the container runtime. `kubernetes`: true for Kubernetes containers, false for system containers. */
export function containerRuntime(kubernetes: boolean): ContainerRuntime {
  return kubernetes
    ? { namespace: "k8s.io", driver: ContainerDriver.CRI }
    : { namespace: "system", driver: ContainerDriver.CONTAINERD };
}

/**
 * Lists containers. Source: `MachineService.Containers`.
 *
 * @param kubernetes True for Kubernetes containers and pods, false for system containers.
 * @param options Timeout of the call.
 */
export async function readContainers(
  { machine }: Pick<NodeClient, "machine">,
  kubernetes: boolean,
  options: { readonly deadlineMs?: number } = {},
): Promise<readonly ContainerInfo[]> {
  const request = containerRuntime(kubernetes);
  return single((await machine.containers(request, options)).messages)
    .containers;
}

/** Compares containers by id. */
export function byContainerId(
  a: { readonly id: string },
  b: { readonly id: string },
): number {
  return Number(a.id > b.id) - Number(a.id < b.id);
}

/** Returns the short id of a container below its pod: `└─ etcd:0123456789ab`. */
export function shortId(
  { id, podId }: { readonly id: string; readonly podId: string },
): string {
  return id === podId ? id : `└─ ${id.replace(`${podId}:`, "")}`;
}
