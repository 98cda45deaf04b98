/** Clusters of simulated nodes in a background process: how long their users wait. */

import type { Measurement } from "../tools/bench.ts";
import { executable, measureUsage, type Usage } from "./_bench.ts";

/**
 * Measures making, starting again and destroying a cluster.
 *
 * @returns Wall times of whole processes.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  const program = await executable(folder);
  const env = {
    XDG_CACHE_HOME: folder,
    OS_HOME: folder,
    OSCONFIG: `${folder}/config`,
  };
  const osctl = (line: string) => measureUsage(program, line.split(" "), env);
  try {
    await osctl("--help"); // unpacks
    return [
      ...await measureCluster(folder, osctl, { workers: 2, budget: 5_000 }),
      ...await measureCluster(folder, osctl, { workers: 497 }),
    ];
  } finally {
    await osctl("cluster destroy --force").catch(() => {}); // exists only after a failed benchmark
    await Deno.remove(folder, { recursive: true });
  }
}

async function measureCluster(
  folder: string,
  osctl: (line: string) => Promise<Usage>,
  { workers, budget }: { readonly workers: number; readonly budget?: number },
): Promise<readonly Measurement[]> {
  const size = `--controlplanes 3 --workers ${workers}`;
  const created = await osctl(`cluster create embedded ${size}`);
  await killNodes(`${folder}/clusters/os-default`);
  const started = await osctl("cluster start");
  const destroyed = await osctl("cluster destroy");
  const of = `${3 + workers} nodes`;
  return [
    {
      name: `create ${of}`,
      value: created.ms,
      unit: "ms",
      budget,
    },
    { name: `start ${of} again`, value: started.ms, unit: "ms" },
    { name: `destroy ${of}`, value: destroyed.ms, unit: "ms" },
  ];
}

/** As when the machine was restarted. */
async function killNodes(folder: string): Promise<void> {
  Deno.kill(Number(await Deno.readTextFile(`${folder}/process`)), "SIGKILL");
}
