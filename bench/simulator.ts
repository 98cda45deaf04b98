/** Memory of simulated nodes. */

import type { Measurement } from "../tools/bench.ts";

/** Nodes of the large cluster beside those of the small one. */
const more = 500;

/**
 * Measures resident memory of a process with 1 and with 501 nodes that all listen.
 *
 * @returns Time to start them, and memory of one more node.
 */
export async function run(): Promise<readonly Measurement[]> {
  const small = await processWith(1);
  const large = await processWith(1 + more);
  return [
    { name: `start of ${1 + more} nodes`, value: large.ms, unit: "ms" },
    {
      name: "memory for each additional node",
      value: (large.megabytes - small.megabytes) / more,
      unit: "MB",
      budget: 1,
    },
  ];
}

interface Started {
  /** Time until all nodes were ready, in milliseconds. */
  readonly ms: number;
  /** Resident memory afterwards, in MB. */
  readonly megabytes: number;
}

async function processWith(nodes: number): Promise<Started> {
  const cluster =
    new URL("../simulator/cluster/cluster.ts", import.meta.url).href;
  const script = `
    const { startCluster } = await import(${JSON.stringify(cluster)});
    const began = performance.now();
    await startCluster({ controlplanes: 1, workers: ${nodes - 1} });
    const ms = performance.now() - began;
    const megabytes = Deno.memoryUsage().rss / 1e6;
    await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ ms, megabytes })));
    Deno.exit(0);`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}
