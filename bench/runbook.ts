/** Cost of a runbook run without its nodes: engine, journal on disk, display. */

import type { Measurement } from "../tools/bench.ts";
import { measureUsage, median, runBig, withBench } from "./_bench.ts";
import { stepsPerNode } from "./_runbook_process.ts";

/**
 * Measures runs over one node and over 500 that do everything at once, 8 steps each, 50 nodes in flight; and one of the
 * executable over 500 simulated nodes, which closes, restarts and opens every worker, 32 at once.
 *
 * @returns Time of a step, and the largest resident memory of the processes.
 */
export async function run(): Promise<readonly Measurement[]> {
  const path = new URL("_runbook_process.ts", import.meta.url).pathname;
  const over = (nodes: number) =>
    median(
      3,
      () =>
        measureUsage(Deno.execPath(), ["run", "-A", path, String(nodes)], {}),
    );
  const one = await over(1);
  const all = await over(500);
  return [
    {
      name: "one step of a run over 500 nodes, engine only",
      value: (all.ms - one.ms) / (499 * stepsPerNode),
      unit: "ms",
      budget: 10,
    },
    {
      name: "run over 500 nodes, engine only: memory",
      value: all.megabytes,
      unit: "MB",
      budget: 300,
    },
    ...await overSockets(),
  ];
}

/** One run is enough: it takes minutes, and only the peak is measured. */
async function overSockets(): Promise<readonly Measurement[]> {
  const addresses = (index: number) =>
    index < 3
      ? { host: "127.0.0.1", port: 0, address: `10.5.0.${index + 2}` }
      : undefined;
  return await withBench(
    { controlplanes: 3, workers: 497, addresses },
    async (bench) => {
      const { ms, megabytes } = await runBig(bench);
      const name = "run over 500 simulated nodes over sockets";
      return [
        { name, value: ms / 1_000, unit: "s" },
        {
          name: `${name}: memory`,
          value: megabytes,
          unit: "MB",
          budget: 300,
        },
      ];
    },
  );
}
