/** Speed and memory of `etcd snapshot verify`. */

import type { Measurement } from "../tools/bench.ts";
import { executable, measureUsage, median } from "./_bench.ts";
import { writeSnapshot } from "./_snapshot_file.ts";

/**
 * Measures snapshots with values as Kubernetes writes them, with very small ones, and a large one.
 *
 * @returns Throughput, and largest resident memory.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const program = await executable(folder);
    const usage = async (size: number, valueSize: number, times: number) => {
      const path = `${folder}/db`;
      await writeSnapshot(path, { size, valueSize });
      const args = ["etcd", "snapshot", "verify", path];
      const env = { XDG_CACHE_HOME: folder };
      await measureUsage(program, args, env); // unpacks
      return await median(times, () => measureUsage(program, args, env));
    };
    const usual = await usage(100e6, 2000, 5);
    const small = await usage(100e6, 100, 5);
    const large = await usage(2e9, 2000, 1);
    return [
      {
        name: "verify 100 MB, values of 2 kB",
        value: 100e3 / usual.ms,
        unit: "MB/s",
        budget: 150,
        atLeast: true,
      },
      {
        name: "verify 100 MB, values of 100 B",
        value: 100e3 / small.ms,
        unit: "MB/s",
      },
      {
        name: "verify 2 GB",
        value: 2e6 / large.ms,
        unit: "MB/s",
        budget: 150,
        atLeast: true,
      },
      {
        name: "verify 2 GB: memory",
        value: large.megabytes,
        unit: "MB",
        budget: 200,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
