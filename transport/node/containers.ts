/** Containers of a node: those of the system, and those of Kubernetes. */

import type { NodeClient } from "../call/client.ts";
import { single } from "../call/reply.ts";
import { ContainerDriver } from "../gen/common.ts";
import type { ContainerInfo } from "../gen/machine_container.ts";

/** What requests for containers and their logs name. */
interface ContainerRuntime {
  readonly namespace: "k8s.io" | "system";
  /** How the node asks containerd. */
  readonly driver: ContainerDriver;
}

/** Where containers run. `kubernetes`: true for those of Kubernetes, false for those of the system. */
export function containerRuntime(kubernetes: boolean): ContainerRuntime {
  return kubernetes
    ? { namespace: "k8s.io", driver: ContainerDriver.CRI }
    : { namespace: "system", driver: ContainerDriver.CONTAINERD };
}

/**
 * Lists containers. Source: `MachineService.Containers`.
 *
 * @param kubernetes True for containers and pods of Kubernetes, false for those of the system.
 * @param options Time limit of the call.
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

/** Orders containers by id. */
export function byContainerId(
  a: { readonly id: string },
  b: { readonly id: string },
): number {
  return Number(a.id > b.id) - Number(a.id < b.id);
}

/** The id of a container below its pod, where there is little room: `└─ etcd:0123456789ab`. */
export function shortId(
  { id, podId }: { readonly id: string; readonly podId: string },
): string {
  return id === podId ? id : `└─ ${id.replace(`${podId}:`, "")}`;
}
