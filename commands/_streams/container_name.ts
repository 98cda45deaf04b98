/** Containers of Kubernetes by short names. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readContainers } from "../../transport/node/containers.ts";
import type { ContainerInfo } from "../../transport/gen/machine_container.ts";

/** Names that need not be looked up: `namespace/pod:container:0123456789ab`. */
const whole = /^[^/]+\/[^:]+:[^:]+:[\da-f]{4,}$/;

/** Names a container may be called by, from the longest to the shortest. */
const tiers: readonly ((container: ContainerInfo) => readonly string[])[] = [
  ({ id }) => [id],
  ({ podId, name }) => [`${podId}:${name}`],
  ({ podId, name }) => [podId, `${podOf(podId)}:${name}`],
  ({ podId, name }) => [podOf(podId), name],
];

function podOf(podId: string): string {
  return podId.slice(podId.indexOf("/") + 1);
}

/**
 * Finds the container that a name means on a node.
 *
 * @param name The name in full, `namespace/pod:container`, `namespace/pod`, `pod:container`, a pod, a container, or the
 * beginning of the name of a pod.
 * @returns Its name in full; of several instances of the same container the one that runs.
 * @throws {OsctlError} If there is none, or it may mean several.
 */
export async function containerNamed(
  client: NodeClient,
  name: string,
): Promise<string> {
  if (whole.test(name)) return name;
  const containers = (await readContainers(client, true))
    .filter(({ id, podId }) => id !== podId);
  const matches = [
    ...tiers.map((namesOf) => (one: ContainerInfo) =>
      namesOf(one).includes(name)
    ),
    ({ podId }: ContainerInfo) => podOf(podId).startsWith(name),
  ];
  for (const isMeant of matches) {
    const found = containers.filter(isMeant);
    const kinds = new Set(found.map(({ podId, name }) => `${podId}:${name}`));
    if (kinds.size > 1) {
      throw new OsctlError(`"${name}" is ambiguous: ${listed([...kinds])}`, {
        hint: "Use one of these names",
      });
    }
    const [first] = found.toSorted((a, b) =>
      Number(isRunning(b)) - Number(isRunning(a))
    );
    if (first !== undefined) return first.id;
  }
  throw new OsctlError(`There is no container or pod "${name}"`, {
    hint: 'List the names with "osctl containers --kubernetes"',
  });
}

function isRunning({ status }: ContainerInfo): boolean {
  return status === "CONTAINER_RUNNING";
}

function listed(names: string[]): string {
  return names.sort().join(", ");
}
