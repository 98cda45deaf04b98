/** Large files and logs from one node. */

import { largeFile } from "../simulator/files/entry.ts";
import type { Measurement } from "../tools/bench.ts";
import { type Usage, withBench } from "./_bench.ts";
import { virtualLog } from "./_virtual_log.ts";

/** Bytes that are read and copied. */
const size = 2e9;

/** Lines of the log. */
const lines = 1_000_000;

/**
 * Measures `read`, `copy` and `logs` over TLS on loopback, in messages of 64 KiB.
 *
 * @returns Throughput, and largest resident memory of the client.
 */
export async function run(): Promise<readonly Measurement[]> {
  return await withBench(
    { chunkBytes: 65_536 },
    async ({ osctl, cluster, folder }) => {
      const [node] = cluster.nodes;
      node?.files.set("/var/bench/big", largeFile(size));
      node?.boot.logs.set("ext-bench", virtualLog(lines));
      const read = await osctl("read", "/var/bench/big");
      const copy = await osctl("copy", "/var/bench", `${folder}/copy`);
      const logs = await osctl("logs", "ext-bench");
      return [
        ...throughput("read", read),
        ...throughput("copy", copy),
        { name: "logs of 1 million lines", value: logs.ms, unit: "ms" },
        { name: "logs: memory", value: logs.megabytes, unit: "MB" },
      ];
    },
  );
}

function throughput(name: string, { ms, megabytes }: Usage): Measurement[] {
  return [
    {
      name: `${name} of 2 GB`,
      value: size / 1e3 / ms,
      unit: "MB/s",
      budget: 150,
      atLeast: true,
    },
    { name: `${name}: memory`, value: megabytes, unit: "MB", budget: 200 },
  ];
}
