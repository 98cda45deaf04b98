/** Machine stage of a node. */

import { domain } from "../../talos.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import { deleteMeta, metaKey } from "./meta.ts";
import type { SimulatedNode } from "../state/node.ts";

/**
 * Moves a node to a stage and reports it.
 *
 * @param unmet Unmet readiness conditions; only names if the reason is always the same.
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

/** Confirms an upgrade: the previous system stays installed, without an automatic rollback to it. */
function keepUpgrade(node: SimulatedNode): void {
  if (deleteMeta(node, metaKey.upgrade)) node.work(node.save());
}

/** An unmet readiness condition. */
export interface UnmetCondition {
  /** Name: `services`. */
  readonly name: string;
  /** Reason: `etcd not running`. */
  readonly reason: string;
}

type ConditionName = keyof typeof conditionReasons;

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
