/** How a simulated node stops, and starts again. */

import { MachineStatusEvent_MachineStage as Stage } from "../transport/gen/machine_events.ts";
import { bootNode } from "./boot.ts";
import { strikes } from "./faults.ts";
import type { SimulatedNode } from "./node.ts";
import { runSequence } from "./run_sequence.ts";
import {
  forcedReboot,
  reboot as orderlyReboot,
  type Sequence,
  shutdown,
} from "./sequences.ts";
import { setStage } from "./stage.ts";
import { stopService } from "./system_services.ts";

/** Who stops a node. */
export interface Stop {
  /** Operation that asked for it, a UUID; default none. */
  readonly actorId?: string;
}

/**
 * Reboots a node.
 *
 * @param options `forced` stops no service first.
 * @returns When the node is ready again.
 */
export async function reboot(
  node: SimulatedNode,
  options: Stop & { readonly forced?: boolean } = {},
): Promise<void> {
  const sequence = options.forced ? forcedReboot : orderlyReboot;
  if (!await stop(node, { ...options, stage: Stage.REBOOTING, sequence })) {
    return;
  }
  powerOff(node);
  if (!strikes(node, "never-returns", "Reboot")) await powerOn(node);
}

/** Takes the power away and gives it back. */
export async function powerCycle(node: SimulatedNode): Promise<void> {
  powerOff(node);
  await powerOn(node);
}

async function powerOn(node: SimulatedNode): Promise<void> {
  await node.clock.sleep(node.pace.downMs, node.ended);
  if (!node.ended.aborted) await bootNode(node);
}

/** Shuts a node down; it stays off until it is booted. */
export async function shutDown(
  node: SimulatedNode,
  options: Stop = {},
): Promise<void> {
  const stage = Stage.SHUTTING_DOWN;
  if (await stop(node, { ...options, stage, sequence: shutdown })) {
    powerOff(node);
  }
}

/** Takes the power away: every connection breaks at once. */
export function powerOff(node: SimulatedNode): void {
  node.reachable = false;
  node.stopping.abort();
  node.running.abort();
  node.network.down();
}

/** Runs the sequence that stops everything; false when the power went first. */
async function stop(
  node: SimulatedNode,
  { actorId = "", stage, sequence }: Stop & {
    readonly stage: Stage;
    readonly sequence: Sequence;
  },
): Promise<boolean> {
  const { signal } = node.running;
  const durationMs = node.pace.stopMs;
  setStage(node, stage, []);
  await runSequence(node, sequence, { actorId, durationMs, signal, onTask });
  return !signal.aborted;
}

async function onTask(node: SimulatedNode, task: string): Promise<void> {
  if (task === "stopServicesForUpgrade") stopAll(node, isOfKubernetes);
  if (task !== "stopAllServices") return;
  stopAll(node, () => true);
  // Streams of events and of the kernel log end in good order; their last messages get out first.
  await node.clock.sleep(0);
  node.stopping.abort();
  await node.clock.sleep(0);
}

function isOfKubernetes(id: string): boolean {
  return id === "kubelet" || id === "etcd" || id === "cri" || id === "trustd";
}

function stopAll(node: SimulatedNode, isWanted: (id: string) => boolean): void {
  for (const { id, state } of node.services.values()) {
    if (state === "Running" && isWanted(id)) stopService(node, id);
  }
}
