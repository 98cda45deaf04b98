/** Where a node stands in its life, as it tells others. */

import { domain } from "../dialect.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../transport/gen/machine_events.ts";
import type { SimulatedNode } from "./node.ts";

/**
 * Moves a node to a stage and reports it.
 *
 * @param unmet What keeps it from being ready: names of conditions.
 */
export function setStage(
  node: SimulatedNode,
  stage: Stage,
  unmet: readonly ConditionName[],
): void {
  const status = {
    ready: unmet.length === 0,
    unmetConditions: unmet.map((name) => ({ name, reason: reasons[name] })),
  };
  node.stage = stage;
  node.ready = status.ready;
  node.events.publish("MachineStatusEvent", { stage, status });
  const type = `MachineStatuses.runtime.${domain}`;
  node.resources.put({ namespace: "runtime", type, id: "machine" }, {
    owner: "runtime.MachineStatusController",
    spec: { stage: stageName(stage), status },
  });
}

/** Things a node waits for before it is ready. */
export type ConditionName = keyof typeof reasons;

/** What a node says about each condition that is not met. */
export const reasons = {
  network: "waiting on: addresses, connectivity",
  services: "kubelet not healthy",
  time: "time is not synced",
} as const;

/** Name of a stage as resources spell it. */
function stageName(stage: Stage): string {
  const [name = ""] =
    Object.entries(Stage).find(([, value]) => value === stage) ?? [];
  return name.toLowerCase().replace("_", " ");
}
