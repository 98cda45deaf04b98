import { single } from "../transport/call/reply.ts";
import {
  byContainerId,
  containerRuntime,
  shortId,
} from "../transport/node/containers.ts";
import { type Command, table, toggle, type Values } from "./_kit/mod.ts";

/** Resource usage of a container. Source: `MachineService.Stats`. */
interface StatsRow {
  readonly node: string;
  /** Namespace of the container runtime. */
  readonly namespace: string;
  /** Name; in Kubernetes `<namespace>/<pod>` or `<namespace>/<pod>:<container>:<id>`. */
  readonly id: string;
  /** Name of its pod; its own name without a pod. */
  readonly podId: string;
  readonly name: string;
  /** Memory in use, in bytes. */
  readonly memory: number;
  /** CPU time since its start, in seconds. */
  readonly cpuTime: number;
}

const inputs = {
  kubernetes: toggle("show Kubernetes containers", { short: "k" }),
  useCri: toggle("no effect", { hidden: true }),
};

export const command = {
  summary: "Show memory and CPU usage of containers",
  description:
    `CPU is the processor time since the container started, in seconds; cpuTime in other formats.`,
  inputs,
  examples: ["stats", "stats --kubernetes --nodes 10.0.0.2"],
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
    "MEMORY(MB)": {
      cell: (row) => (row.memory * 1e-6).toFixed(2),
      value: (row) => row.memory,
      priority: 0,
    },
    CPU: {
      cell: (row) => `${row.cpuTime.toFixed(2)}s`,
      value: (row) => row.cpuTime,
      priority: 0,
    },
  }),
  async *run({ input, nodes }) {
    const request = containerRuntime(input.kubernetes);
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.stats(request)).messages).stats
    );
    for await (const { node, value: stats } of answers) {
      for (const stat of stats.toSorted(byContainerId)) {
        yield {
          node,
          namespace: stat.namespace,
          id: stat.id,
          podId: stat.podId,
          name: stat.name,
          memory: Number(stat.memoryUsage),
          cpuTime: Number(stat.cpuUsage) / 1e9,
        };
      }
    }
  },
} satisfies Command<StatsRow, Values<typeof inputs>>;
