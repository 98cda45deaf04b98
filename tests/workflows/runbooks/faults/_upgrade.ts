/** Rolling upgrades with faults. */

import type { Json } from "../../../../lib/json.ts";
import {
  type Bench,
  type BenchOptions,
  openBench,
  type ProcessOptions,
  type Ran,
} from "../_bench.ts";

/** Version that is upgraded to. */
export const wanted = "v1.13.5";

/** Three control planes and two workers. */
export function openUpgrade(options: BenchOptions = {}): Promise<Bench> {
  return openBench({ controlPlanes: 3, workers: 2, ...options });
}

/** Runs the runbook; all is approved. */
export function upgrade(
  bench: Bench,
  inputs: Readonly<Record<string, Json>> = {},
  options: ProcessOptions = {},
): Promise<Ran> {
  const all = { version: wanted, soak: "4s", ...inputs };
  return bench.run("builtin:rolling-upgrade", all, {
    answers: true,
    ...options,
  });
}

export function readState({ cluster }: Bench, node: string): string {
  const found = cluster.observe().nodes.find(({ name }) => name === node);
  if (found === undefined) return "none";
  const { version, installs, reboots, isCordoned } = found;
  const closed = isCordoned ? " cordoned" : "";
  return `${version} ${installs} installs ${reboots} boots${closed}`;
}

/** The same of all nodes that are part. */
export function readStates(bench: Bench): readonly string[] {
  return bench.cluster.observe().nodes
    .flatMap(({ name, isPart }) => isPart ? [readState(bench, name)] : []);
}

/** Nodes in the order they began a fan-out. */
export function enter({ events }: Ran, path: string): readonly string[] {
  return events.flatMap((event) =>
    event.type === "node.entered" && event.path === path ? [event.node] : []
  );
}

export function listTargets({ end }: Ran, path: string): readonly string[] {
  return (end?.targets ?? []).flatMap((target) =>
    target.path === path ? [`${target.node} ${target.state}`] : []
  );
}

/** Reasons for which something waited, each once. */
export function listWaits({ events }: Ran): readonly string[] {
  return [
    ...new Set(
      events.flatMap(({ type, data }) =>
        type === "step.waiting" ? [String(data.reason)] : []
      ),
    ),
  ];
}
