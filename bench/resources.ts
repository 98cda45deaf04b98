/** A long list of resources. */

import { domain } from "../dialect.ts";
import type { Measurement } from "../tools/bench.ts";
import { median, withBench } from "./_bench.ts";

/** How many resources are listed. */
const count = 10_000;

/**
 * Measures `get` as a table and as JSON.
 *
 * @returns Whole processes: wall time and largest resident memory.
 */
export async function run(): Promise<readonly Measurement[]> {
  return await withBench({}, async ({ osctl, cluster }) => {
    const type = `AddressStatuses.net.${domain}`;
    for (let i = 0; i < count; i++) {
      cluster.nodes[0]?.boot.resources.put(
        { namespace: "network", type, id: `eth0/10.${i >> 8}.${i & 255}.1/24` },
        { spec: specOf(i) },
      );
    }
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

function specOf(i: number) {
  return {
    address: `10.${i >> 8}.${i & 255}.1/24`,
    linkIndex: i,
    linkName: "eth0",
    family: "inet4",
    scope: "global",
    flags: "permanent",
    priority: 0,
  };
}
