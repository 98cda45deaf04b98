import {
  MachineStatusEvent_MachineStage as Stage,
  TaskEvent_Action,
} from "../../transport/gen/machine_events.ts";
import { triggerFault } from "../state/faults.ts";
import { logKernelErrors } from "../node/diagnostics.ts";
import { logBoot, logKernel } from "../node/logs.ts";
import { deleteMeta, metaKey } from "../node/meta.ts";
import type { SimulatedNode } from "../state/node.ts";
import { startBoot } from "../state/node_boot.ts";
import { unmetConditions } from "../node/readiness.ts";
import { setStage } from "../node/stage.ts";
import { putAll } from "../node/contents/content.ts";
import { networkContents } from "../node/contents/network.ts";
import { untilRepliesSent } from "../node/shutdown_streams.ts";
import { chooseOther, startChosen } from "../release/boot_entries.ts";
import { bootTask, openNetwork } from "./boot_tasks.ts";
import { installTask, pendingInstallation } from "./installer.ts";
import { TaskFailure } from "./run_sequence.ts";
import { startSequence } from "./sequencer.ts";
import { boot, initialize, install } from "../release/sequences.ts";

/** Powers a node on. Resolves when the node is ready, or immediately if it is powered off meanwhile. */
export function bootNode(node: SimulatedNode): Promise<void> {
  return untilBooted(node, fromStart);
}

/**
 * Continues the boot of a node that was configured in maintenance mode: installs the system and reboots, or continues
 * if it is already installed. Returns when the node is ready, or immediately if it is powered off meanwhile.
 */
export async function leaveMaintenance(node: SimulatedNode): Promise<void> {
  // Reply to the client that applied the configuration first.
  await node.clock.sleep(node.pace.stopMs, node.boot.power.signal);
  await untilRepliesSent(node);
  if (node.boot.power.signal.aborted) return;
  node.boot.reachable = false;
  node.network.down();
  publishMaintenance(node, TaskEvent_Action.STOP);
  setStage(node, Stage.BOOTING, ["network", "time", "services"]);
  await bootTask(node, "loadConfig");
  await untilBooted(node, fromConfiguration);
}

/** Step after part of a boot. */
type Next = "nothing" | "reboot";

async function untilBooted(
  node: SimulatedNode,
  first: (node: SimulatedNode) => Promise<Next>,
): Promise<void> {
  let next = await first(node);
  while (next === "reboot") {
    powerOff(node);
    if (!await untilPowerOn(node)) return;
    // Boots are sequential.
    next = await fromStart(node);
  }
}

async function fromStart(node: SimulatedNode): Promise<Next> {
  beginBoot(node);
  setStage(node, Stage.BOOTING, ["network", "time", "services"]);
  const isFirst = node.disk.meta.has(metaKey.upgrade);
  const fails = isFirst &&
    triggerFault(node, "rolled-back", "Boot") !== undefined;
  const ending = await startSequence(node, initialize, {
    durationMs: node.pace.bootMs / 2,
    onTask: fails ? failingTask : bootTask,
  });
  if (ending === "failed") return await rebootSoon(node);
  if (ending !== "done") return "nothing";
  if (node.disk.configured) return await fromConfiguration(node);
  await openMaintenance(node);
  return "nothing";
}

async function fromConfiguration(node: SimulatedNode): Promise<Next> {
  const installation = await pendingInstallation(node);
  if (installation !== undefined) {
    const ending = await startSequence(node, install, {
      durationMs: node.pace.stopMs,
      onTask: installTask(installation),
    });
    if (ending === "failed") return await rebootSoon(node);
    return ending === "done" ? "reboot" : "nothing";
  }
  const ending = await startSequence(node, boot, {
    durationMs: node.pace.bootMs / 2,
    onTask: bootTask,
  });
  if (ending === "failed") return await rebootSoon(node);
  if (ending !== "done") return "nothing";
  setStage(node, Stage.RUNNING, unmetConditions(node));
  return "nothing";
}

async function rebootSoon(node: SimulatedNode): Promise<Next> {
  await panic(node);
  return node.boot.power.signal.aborted ? "nothing" : "reboot";
}

/** Fails the first boot of a new system. */
async function failingTask(node: SimulatedNode, task: string): Promise<void> {
  if (task === "loadConfig") throw new TaskFailure("context deadline exceeded");
  await bootTask(node, task);
}

/** Enters maintenance mode and waits for a configuration. */
async function openMaintenance(node: SimulatedNode): Promise<void> {
  putAll(node, networkContents(node));
  publishMaintenance(node, TaskEvent_Action.START);
  setStage(node, Stage.MAINTENANCE, []);
  await openNetwork(node);
}

function publishMaintenance(
  { boot: { events } }: SimulatedNode,
  action: TaskEvent_Action,
): void {
  events.publish("TaskEvent", { task: "runningMaintenance", action });
}

function beginBoot(node: SimulatedNode): void {
  const { disk, clock, origin } = node;
  node.boot.power.abort();
  node.isOff = false;
  node.boot = startBoot(clock, origin.uuid);
  node.counts.boots++;
  disk.bootEntries &&= startChosen(disk.bootEntries);
  if (!disk.configured) node.identity = origin;
  // Images of the system runtime are in memory only.
  disk.images.delete("system/system");
  logBoot(node);
  logKernelErrors(node);
}

/** Cuts the power: every connection breaks immediately. */
export function powerOff(node: SimulatedNode): void {
  node.boot.reachable = false;
  node.boot.shutdown.abort();
  node.boot.power.abort();
  node.network.down();
}

/** Waits between two boots. Returns false if the node stays off. */
export async function untilPowerOn(node: SimulatedNode): Promise<boolean> {
  if (triggerFault(node, "never-returns", "Reboot")) {
    node.isOff = true;
    await node.save();
    return false;
  }
  const { boots } = node.counts;
  await node.clock.sleep(node.pace.downMs, node.ended);
  // It may have been powered off or on meanwhile.
  return !node.ended.aborted && !node.isOff && node.counts.boots === boots;
}

/**
 * Selects the system that worked before an upgrade if this is the first boot
 * after one, and waits briefly; the caller then powers the node off.
 */
export async function panic(node: SimulatedNode): Promise<void> {
  const label = node.disk.meta.get(metaKey.upgrade);
  if (label !== undefined) {
    const name = new TextDecoder().decode(label);
    if (name !== "") {
      logKernel(node, `reverting failed upgrade, switching to "${name}"`);
      const { bootEntries } = node.disk;
      node.disk.bootEntries = bootEntries &&
        (chooseOther(bootEntries) ?? bootEntries);
    }
    deleteMeta(node, metaKey.upgrade);
    await node.save();
  }
  logKernel(
    node,
    `rebooting in ${Math.round(node.pace.panicMs / 1000)} seconds`,
  );
  await node.clock.sleep(node.pace.panicMs, node.boot.power.signal);
}
