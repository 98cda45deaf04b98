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

/** Switches a node on. Resolves when the node is ready; at once when it is switched off meanwhile. */
export function bootNode(node: SimulatedNode): Promise<void> {
  return untilBooted(node, fromStart);
}

/**
 * Continues with the boot of a node that was given its configuration in maintenance: installs the system
 * and boots again, or just continues when there is one. Returns when the node is ready; at once when it
 * is switched off meanwhile.
 */
export async function leaveMaintenance(node: SimulatedNode): Promise<void> {
  // The client that applied the configuration gets a reply first.
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

/** What follows a part of a boot: nothing, or another boot. */
type Next = "nothing" | "reboot";

async function untilBooted(
  node: SimulatedNode,
  first: (node: SimulatedNode) => Promise<Next>,
): Promise<void> {
  let next = await first(node);
  while (next === "reboot") {
    powerOff(node);
    if (!await untilPowerOn(node)) return;
    // One boot after the other.
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

/** A first boot in which the new system does not get far. */
async function failingTask(node: SimulatedNode, task: string): Promise<void> {
  if (task === "loadConfig") throw new TaskFailure("context deadline exceeded");
  await bootTask(node, task);
}

/** What a node without configuration ends with: it waits for one. */
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
  // Those of the runtime of the operating system are in memory only.
  disk.images.delete("system/system");
  logBoot(node);
  logKernelErrors(node);
}

/** Takes the power away: every connection breaks at once. */
export function powerOff(node: SimulatedNode): void {
  node.boot.reachable = false;
  node.boot.shutdown.abort();
  node.boot.power.abort();
  node.network.down();
}

/** Waits between two boots. Returns false when the node stays off. */
export async function untilPowerOn(node: SimulatedNode): Promise<boolean> {
  if (triggerFault(node, "never-returns", "Reboot")) {
    node.isOff = true;
    await node.save();
    return false;
  }
  const { boots } = node.counts;
  await node.clock.sleep(node.pace.downMs, node.ended);
  // It may have been switched off meanwhile, or on again.
  return !node.ended.aborted && !node.isOff && node.counts.boots === boots;
}

/**
 * Chooses the system that worked before an upgrade, if this is the first boot
 * behind one, and waits a little; the caller then powers the node off.
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
