/** Where a node is in its life, as it tells others. */

import { domain } from "../../talos.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import { deleteMeta, metaKey } from "./meta.ts";
import type { SimulatedNode } from "../state/node.ts";

/**
 * Moves a node to a stage and reports it.
 *
 * @param unmet What keeps it from being ready; names where nodes always give the same reason.
 */
export function setStage(
  node: SimulatedNode,
  stage: Stage,
  unmet: readonly (ConditionName | UnmetCondition)[],
): void {
  const status = {
    ready: unmet.length === 0,
    unmetConditions: unmet.map((one) =>
      typeof one === "string"
        ? { name: one, reason: conditionReasons[one] }
        : one
    ),
  };
  node.boot.stage = stage;
  node.boot.ready = status.ready;
  node.boot.events.publish("MachineStatusEvent", { stage, status });
  if (stage === Stage.RUNNING && status.ready) keepUpgrade(node);
  const type = `MachineStatuses.runtime.${domain}`;
  node.boot.resources.put({ namespace: "runtime", type, id: "machine" }, {
    owner: "runtime.MachineStatusController",
    spec: { stage: stageName(stage), status },
  });
}

/** The system that was upgraded from stays, and is not gone back to by itself any more. */
function keepUpgrade(node: SimulatedNode): void {
  if (deleteMeta(node, metaKey.upgrade)) node.work(node.save());
}

/** Something that keeps a node from being ready. */
export interface UnmetCondition {
  /** Name: `services`. */
  readonly name: string;
  /** What is missing: `etcd not running`. */
  readonly reason: string;
}

type ConditionName = keyof typeof conditionReasons;

/** What a node says about each condition that is not met. */
const conditionReasons = {
  network: "waiting on: addresses, connectivity",
  services: "kubelet not healthy",
  time: "time is not synced",
} as const;

function stageName(stage: Stage): string {
  const [name = ""] =
    Object.entries(Stage).find(([, value]) => value === stage) ?? [];
  return name.toLowerCase().replace("_", " ");
}
