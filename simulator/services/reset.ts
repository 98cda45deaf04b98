/** Wiping the disks of a node: `Reset`. */

import { RpcError } from "../../errors.ts";
import {
  RebootRequest_Mode as RebootMode,
  type ResetRequest,
  ResetRequest_WipeMode as WipeMode,
} from "../../transport/gen/machine.ts";
import { reboot, shutDown } from "../boot/power.ts";
import { resetNode } from "../boot/reset.ts";
import { logKernel } from "../node/logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import { behaves } from "../release/release.ts";
import { toKey } from "../node/contents/content.ts";
import type { MachineHandlers } from "./handlers.ts";

/** `Reset`; it replies before the reset starts. */
export const reset: MachineHandlers = {
  reset(request, { node }) {
    checkUserDisks(node, request);
    checkPartitions(node, request);
    const actorId = crypto.randomUUID();
    logKernel(node, `reset request received. actorID: ${actorId}`);
    const { graceful, reboot: reboots, mode } = request;
    const named = request.systemPartitionsToWipe;
    const labels = named.filter(({ wipe }) => wipe).map(({ label }) => label);
    const isSpared = mode === WipeMode.USER_DISKS;
    node.work(resetNode(node, {
      actorId,
      graceful,
      reboots,
      system: isSpared ? "spared" : named.length === 0 ? "all" : labels,
      userDisks: request.userDisksToWipe.map(parseName),
    }));
    return { messages: [{ actorId }] };
  },
};

function checkUserDisks(
  node: SimulatedNode,
  { mode, userDisksToWipe }: ResetRequest,
): void {
  if (userDisksToWipe.length === 0) return;
  if (mode === WipeMode.SYSTEM_DISK) {
    throw refusal(
      "reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter",
    );
  }
  for (const path of userDisksToWipe) {
    const why = userDiskRefusal(node, path);
    if (why !== undefined) {
      throw refusal(`reset user disk failed: device ${path} ${why}`);
    }
  }
}

function userDiskRefusal(
  { disk: { bootEntries }, boot: { resources } }: SimulatedNode,
  path: string,
): string | undefined {
  const key = toKey({ type: "Disks.block", id: parseName(path) });
  const spec = resources.get(key)?.spec;
  if (!path.startsWith("/dev/") || spec === undefined) return "wasn't found";
  // Disk specs always have it.
  if ((spec as { readonly readonly: boolean }).readonly) return "is readonly";
  const isSystem = bootEntries !== undefined && path === "/dev/vda";
  return isSystem ? "is the system disk" : undefined;
}

function checkPartitions(
  { boot: { resources } }: SimulatedNode,
  { mode, systemPartitionsToWipe }: ResetRequest,
): void {
  if (systemPartitionsToWipe.length === 0) return;
  if (mode === WipeMode.USER_DISKS) {
    throw refusal(
      "reset failed: invalid input, wipe mode USER_DISKS doesn't support SystemPartitionsToWipe parameter",
    );
  }
  for (const { label } of systemPartitionsToWipe) {
    const key = toKey({ type: "VolumeStatuses.block", id: label });
    const spec = resources.get(key)?.spec;
    if (spec === undefined) {
      throw refusal(
        `failed to get volume status with label "${label}": resource ${key.type}(${key.namespace}/${label}@undefined) doesn't exist`,
      );
    }
    // Volume specs have it once they are located.
    if (!(spec as { readonly location?: string }).location) {
      throw refusal(`failed to reset: volume "${label}" is not located`);
    }
  }
}

function parseName(path: string): string {
  return path.replace(/^\/dev\//, "");
}

function refusal(message: string): RpcError {
  return new RpcError("UNKNOWN", message);
}

/** `Reboot` and `Shutdown`; both reply before the sequence starts. */
export const power: MachineHandlers = {
  reboot({ mode }, { node }) {
    const actorId = crypto.randomUUID();
    logKernel(node, `reboot via API received. actor id: ${actorId}`);
    const forced = mode === RebootMode.FORCE &&
      behaves(node, "rebootsForcibly");
    node.work(reboot(node, { actorId, forced }));
    return { messages: [{ actorId }] };
  },
  shutdown({ force: forced }, { node }) {
    const actorId = crypto.randomUUID();
    logKernel(node, `shutdown via API received. actor id: ${actorId}`);
    node.work(shutDown(node, { actorId, forced, takesOver: true }));
    return { messages: [{ actorId }] };
  },
};
