/** One call to one, 50 and 500 nodes. */

import type { Measurement } from "../tools/bench.ts";
import { median, withBench } from "./_bench.ts";

/**
 * Measures the fan-out of `version`.
 *
 * @returns Whole processes: wall time and largest resident memory.
 */
export async function run(): Promise<readonly Measurement[]> {
  const addresses = (index: number) =>
    index < 3
      ? { host: "127.0.0.1", port: 0, address: `10.5.0.${index + 2}` }
      : undefined;
  return await withBench(
    { controlplanes: 3, workers: 497, addresses },
    async ({ osctl, cluster }) => {
      const names = cluster.nodes.map(({ identity }) => identity.address);
      const version = (count: number, times: number) =>
        median(
          times,
          () => osctl("version", "-n", names.slice(0, count).join(",")),
        );
      const one = await version(1, 15);
      const fifty = await version(50, 7);
      const all = await version(500, 5);
      return [
        { name: "version of 1 node", value: one.ms, unit: "ms", budget: 120 },
        {
          name: "version of 1 node: memory",
          value: one.megabytes,
          unit: "MB",
          budget: 90,
        },
        { name: "version of 50 nodes", value: fifty.ms, unit: "ms" },
        {
          name: "version of 50 nodes: memory",
          value: fifty.megabytes,
          unit: "MB",
        },
        {
          name: "version of 500 nodes",
          value: all.ms,
          unit: "ms",
          budget: 400,
        },
        {
          name: "version of 500 nodes: memory",
          value: all.megabytes,
          unit: "MB",
          budget: 110,
        },
        {
          name: "version of 500 nodes: memory / version of 50 nodes: memory",
          value: all.megabytes / fifty.megabytes,
          unit: "x",
          budget: 2,
        },
      ];
    },
  );
}
