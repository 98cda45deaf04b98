/** Reset of a simulated node. */

import { leaveForReset, wipeEtcd } from "../etcd/leave.ts";
import type { SimulatedNode } from "../state/node.ts";
import { closeApi, stopNode, type StopOptions } from "./power.ts";
import * as sequences from "../release/sequences.ts";
import { TaskFailure } from "./run_sequence.ts";

interface ResetPlan extends StopOptions {
  /** True when the node leaves its cluster first. */
  readonly graceful: boolean;
  /** True for a reboot at the end, false for a shutdown. */
  readonly reboots: boolean;
  /** Parts of the system disk to wipe: none, all, or these partitions. */
  readonly system: "spared" | "all" | readonly string[];
  /** Names of other disks to wipe: `vdb`. */
  readonly userDisks: readonly string[];
}

/** Resets a node. Resolves when the node is off or has rebooted. */
export async function resetNode(
  node: SimulatedNode,
  { graceful, reboots, system, userDisks, ...stop }: ResetPlan,
): Promise<void> {
  const labels = typeof system === "string" ? [] : system;
  const sequence = sequences.reset({
    graceful,
    isMember: node.identity.machineType === "controlplane",
    system: system === "spared"
      ? "none"
      : labels.length > 0
      ? "partitions"
      : "all",
    userDisks: userDisks.length > 0,
    reboots,
    kexec: labels.length > 0 && !labels.includes("BOOT"),
  });
  await stopNode(node, sequence, {
    ...stop,
    async onTask(_, task) {
      if (task === "leaveEtcd") await leave(node);
      if (task === "forceCleanup") closeApi(node);
      if (task === "resetSystemDisk" && system === "all") {
        await wipeSystemDisk(node);
      }
      if (task === "resetSystemDiskSpec") await wipePartitions(node, labels);
      if (task === "resetUserDisks") await wipeUserDisks(node, userDisks);
    },
  });
}

async function leave(node: SimulatedNode): Promise<void> {
  try {
    await leaveForReset(node);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new TaskFailure(`failed to leave cluster: ${error.message}`);
  }
}

async function wipeSystemDisk(node: SimulatedNode): Promise<void> {
  await wipePartitions(node, ["META", "STATE", "EPHEMERAL"]);
  node.disk.bootEntries = undefined;
  await node.save();
}

async function wipePartitions(
  node: SimulatedNode,
  labels: readonly string[],
): Promise<void> {
  for (const label of labels) {
    await wipes[label]?.(node);
    node.disk.wipes.set(label, (node.disk.wipes.get(label) ?? 0) + 1);
  }
  await node.save();
}

const wipes: Readonly<
  Record<string, (node: SimulatedNode) => Promise<void> | void>
> = {
  META: ({ disk: { meta } }) => meta.clear(),
  STATE(node) {
    node.disk.configured = false;
    node.disk.configuration = undefined;
    node.boot.liveConfiguration = undefined;
  },
  async EPHEMERAL(node) {
    node.disk.images.clear();
    await wipeEtcd(node);
  },
};

async function wipeUserDisks(
  node: SimulatedNode,
  names: readonly string[],
): Promise<void> {
  node.disk.userDisks = node.disk.userDisks.map((disk) =>
    names.includes(disk.name) ? { ...disk, partitions: [] } : disk
  );
  await node.save();
}
