import {
  byContainerId,
  readContainers,
  shortId,
} from "../transport/node/containers.ts";
import type { ContainerInfo } from "../transport/gen/machine.ts";
import {
  type Command,
  stateTone,
  table,
  toggle,
  type Values,
} from "./_kit/mod.ts";

/** A container of a node. Source: `MachineService.Containers`. */
interface ContainerRow {
  readonly node: string;
  readonly namespace: string;
  /** Name; in Kubernetes `<namespace>/<pod>` or `<namespace>/<pod>:<container>`. */
  readonly id: string;
  /** Name of its pod; its own name without a pod. */
  readonly podId: string;
  readonly name: string;
  readonly image: string;
  /** PID, 0 if there is no process. */
  readonly pid: number;
  /** Status reported by the runtime: `RUNNING`, `CONTAINER_EXITED`. */
  readonly status: string;
  /** Path of its network namespace, may be empty. */
  readonly networkNamespace: string;
}

const inputs = {
  kubernetes: toggle("list Kubernetes containers", { short: "k" }),
  useCri: toggle("no effect", { hidden: true }),
};

export const command = {
  summary: "List containers",
  aliases: ["c"],
  inputs,
  examples: ["containers", "containers --kubernetes --nodes 10.0.0.2"],
  view: table({
    NODE: { cell: (row) => row.node, name: true },
    NAMESPACE: { cell: (row) => row.namespace, priority: 9 },
    // Containers are listed below their pod.
    ID: {
      cell: (row) => row.id === row.podId ? row.id : `└─ ${row.id}`,
      short: (row) => shortId(row),
      value: (row) => row.id,
      name: true,
    },
    IMAGE: { cell: (row) => row.image, priority: 2 },
    PID: { cell: (row) => String(row.pid), priority: 3 },
    STATUS: {
      cell: (row) => row.status,
      tone: (row) => stateTone(row.status.replace(/^.*_/, "")),
      priority: 0,
    },
  }),
  async *run({ input, nodes }) {
    const answers = nodes.call((client) =>
      readContainers(client, input.kubernetes)
    );
    for await (const { node, value: containers } of answers) {
      yield* containers.toSorted(byContainerId).map((container) =>
        toRow(node, container)
      );
    }
  },
} satisfies Command<ContainerRow, Values<typeof inputs>>;

function toRow(node: string, container: ContainerInfo): ContainerRow {
  return {
    node,
    namespace: container.namespace,
    id: container.id,
    podId: container.podId,
    name: container.name,
    image: container.image,
    pid: container.pid,
    status: container.status,
    networkNamespace: container.networkNamespace,
  };
}
