/** What a run of a runbook costs beside what nodes need: engine, journal on the disk, display. */

import type { Measurement } from "../tools/bench.ts";
import { median, usageOf } from "./_bench.ts";
import { stepsPerNode } from "./_runbook_process.ts";

/**
 * Measures runs over one node and over 500 that do everything at once, 8 steps each, 50 nodes in flight.
 *
 * @returns Time of a step, and the largest resident memory of the process.
 */
export async function run(): Promise<readonly Measurement[]> {
  const path = new URL("_runbook_process.ts", import.meta.url).pathname;
  const over = (nodes: number) =>
    median(
      3,
      () => usageOf(Deno.execPath(), ["run", "-A", path, String(nodes)], {}),
    );
  const one = await over(1);
  const all = await over(500);
  return [
    {
      name: "a step of a run over 500 nodes",
      value: (all.ms - one.ms) / (499 * stepsPerNode),
      unit: "ms",
      budget: 10,
    },
    {
      name: "a run over 500 nodes: memory",
      value: all.megabytes,
      unit: "MB",
      budget: 300,
    },
  ];
}
