/** Memory and speed of `support` with a long log. */

import { logLine } from "../simulator/node/logs.ts";
import type { Measurement } from "../tools/bench.ts";
import { withBench } from "./_bench.ts";

/** Entries of the log, as many as a simulated node keeps. */
const entries = 10_000;

/** Bytes of each entry, which is many lines. */
const entryBytes = 100_000;

/**
 * Measures a bundle of one node with 1 GB in the log of its kubelet.
 *
 * @returns Largest resident memory of the client, and throughput.
 */
export async function run(): Promise<readonly Measurement[]> {
  return await withBench({ workers: 0 }, async ({ cluster, osctl, folder }) => {
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error("The cluster has no node");
    const entry = logEntry(entryBytes);
    for (let at = 0; at < entries; at++) logLine(node, "kubelet", entry);
    const path = `${folder}/case.zip`;
    const used = await osctl("support", "-O", path);
    const { size } = await Deno.stat(path);
    return [
      {
        name: "support, 1 GB of logs: memory",
        value: used.megabytes,
        unit: "MB",
        budget: 150,
        detail: `archive of ${Math.round(size / 1e6)} MB`,
      },
      {
        name: "support, 1 GB of logs",
        value: entries * entryBytes / 1e3 / used.ms,
        unit: "MB/s",
      },
    ];
  });
}

/** Lines as services write them, each another. `size`: bytes of all. */
function logEntry(size: number): string {
  const lines: string[] = [];
  let length = 0;
  for (let at = 0; length < size; at++) {
    const id = (at * 2_654_435_761 % 2 ** 32).toString(16);
    const line =
      `{"ts":17720000${id},"caller":"kubelet/pod_workers.go:${at}","msg":"syncing pod","pod":"shop/cart-${id}"}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n").slice(0, size - 1);
}
