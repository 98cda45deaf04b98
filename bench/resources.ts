/** A long list of resources. */

import type { Measurement } from "../tools/bench.ts";
import { median, withBench } from "./_bench.ts";
import { fillWithAddresses } from "./_resources.ts";

/**
 * Measures `get` as a table and as JSON.
 *
 * @returns Whole processes: wall time and largest resident memory.
 */
export async function run(): Promise<readonly Measurement[]> {
  return await withBench({}, async ({ osctl, cluster }) => {
    fillWithAddresses(cluster);
    const table = await median(5, () => osctl("get", "addresses"));
    const json = await median(5, () => osctl("get", "addresses", "-o", "json"));
    return [
      {
        name: "get 10,000 resources as table",
        value: table.ms,
        unit: "ms",
        budget: 1_500,
      },
      {
        name: "get 10,000 resources as table: memory",
        value: table.megabytes,
        unit: "MB",
      },
      {
        name: "get 10,000 resources as JSON",
        value: json.ms,
        unit: "ms",
        budget: 1_500,
      },
      {
        name: "get 10,000 resources as JSON: memory",
        value: json.megabytes,
        unit: "MB",
      },
    ];
  });
}
