/** What nodes of a healthy cluster have to be made of. */

import { domain } from "../../../dialect.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { readSpec } from "../../operations/read_resource.ts";
import { answerMs, type Answers, askAll, problemsOf } from "../finding.ts";
import {
  type HealthCheck,
  type HealthSite,
  waitingFor,
} from "./health_check.ts";
import { allOf, askedAt } from "./health_nodes.ts";

const limitMs = 5 * 60_000;
const mebibyte = 1024 * 1024;

/** The kernel keeps some for itself. */
const ofKernel = 150 * mebibyte;

/** Least memory in bytes. */
const leastMemory = {
  controlPlane: 1_848 * mebibyte - ofKernel,
  worker: 1_024 * mebibyte - ofKernel,
} as const;

/** Least size of the partition for data in bytes: a disk of 6 GiB without all other partitions. */
const leastDisk = (6 * 1_024 - (2_101 + 100 + 1 + 10)) * mebibyte;

/** All nodes have enough memory. */
export const memorySizes: HealthCheck = {
  name: "all nodes memory sizes",
  limitMs,
  async look(site) {
    const { values, problems } = await machines(site);
    const controlPlanes = new Set(askedAt(site.nodes.controlPlanes));
    const small = await problemsOf(site, real(values), async (client) => {
      const answer = await client.machine.memory({}, { deadlineMs: answerMs });
      const { meminfo } = single(answer.messages);
      const has = Number(meminfo?.memtotal ?? 0) * 1_024;
      const least = controlPlanes.has(client.node)
        ? leastMemory.controlPlane
        : leastMemory.worker;
      return has >= least
        ? undefined
        : `has ${inMebibytes(has)} of memory and needs ${inMebibytes(least)}`;
    });
    return waitingFor([...problems, ...small]);
  },
};

/** All nodes have enough room for data. */
export const diskSizes: HealthCheck = {
  name: "all nodes disk sizes",
  limitMs,
  async look(site) {
    const { values, problems } = await machines(site);
    const sizes = await askAll(site, real(values), dataSizeOf);
    const hidden = [...sizes.values.values()].some((size) =>
      size === undefined
    );
    if (hidden) {
      return { state: "skipped", reason: "a node does not show its volumes" };
    }
    const small = [...sizes.values].flatMap(([node, size = 0]) =>
      size >= leastDisk ? [] : [
        `${node}: has ${inMebibytes(size)} for data and needs ${
          inMebibytes(leastDisk)
        }`,
      ]
    );
    return waitingFor([...problems, ...sizes.problems, ...small]);
  },
};

/** Platform modes by node. */
function machines(site: HealthSite): Promise<Answers<string>> {
  return askAll(site, askedAt(allOf(site.nodes)), async ({ machine }) => {
    const answer = await machine.version({}, { deadlineMs: answerMs });
    return single(answer.messages).platform?.mode ?? "";
  });
}

/** Containers share what the machine they run on has. */
function real(modes: ReadonlyMap<string, string>): readonly string[] {
  return [...modes].filter(([, mode]) => mode !== "container")
    .map(([node]) => node);
}

/** Size of the volume for data in bytes; `undefined` when the node does not show it. */
async function dataSizeOf(client: NodeClient): Promise<number | undefined> {
  const spec = await readSpec(client, {
    namespace: "runtime",
    type: `VolumeStatuses.block.${domain}`,
    id: "EPHEMERAL",
  });
  return spec === undefined ? undefined : Number(spec.size ?? 0);
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`;
}
