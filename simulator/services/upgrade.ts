/** Upgrades of the operating system: `Upgrade` and `Rollback`. */

import { RpcError } from "../../errors.ts";
import {
  type UpgradeRequest,
  UpgradeRequest_RebootMode as RebootMode,
} from "../../transport/gen/machine.ts";
import { chooseOther, installerImage } from "../release/boot_entries.ts";
import { reboot, stopNode, upgrade } from "../boot/power.ts";
import { stageUpgrade } from "../release/sequences.ts";
import { checkUpgrade } from "../etcd/leave.ts";
import { pullImage } from "../node/images.ts";
import { metaKey, setMeta } from "../node/meta.ts";
import type { SimulatedNode } from "../state/node.ts";
import { behaves, runningRelease } from "../release/release.ts";
import type { MachineHandlers } from "./handlers.ts";

/** `Upgrade` and `Rollback`; both reply before the sequence starts. */
export const upgrades: MachineHandlers = {
  async upgrade(request, { node }) {
    const actorId = crypto.randomUUID();
    const { image, stage, force, preserve, rebootMode } = request;
    await validate(node, image);
    const isControlPlane = node.identity.machineType === "controlplane";
    const isSpared = force ||
      preserve && behaves(node, "skipsEtcdCheckToPreserve");
    if (isControlPlane && !isSpared) await checkEtcd(node);
    const kexec = rebootMode === RebootMode.DEFAULT;
    if (stage) {
      await stageImage(node, request);
      node.work(stopNode(node, stageUpgrade({ kexec }), { actorId }));
    } else node.work(upgrade(node, { actorId, kexec, image }));
    return { messages: [{ ack: "Upgrade request received", actorId }] };
  },
  async rollback(_, { node }) {
    if (node.disk.bootEntries === undefined) {
      throw new RpcError("FAILED_PRECONDITION", "system disk not found");
    }
    const boot = chooseOther(node.disk.bootEntries);
    if (boot === undefined) {
      throw new RpcError("UNKNOWN", "previous UKI not found");
    }
    node.disk.bootEntries = boot;
    await node.save();
    node.work(reboot(node, { takesOver: true }));
    return { messages: [{}] };
  },
};

/** Pulls an installer image and validates it. */
async function validate(node: SimulatedNode, image: string): Promise<void> {
  const failed = (why: string) =>
    new RpcError(
      "UNKNOWN",
      `error validating installer image "${image}": ${why}`,
    );
  try {
    await pullImage(node, "system/system", image, "Upgrade");
  } catch (error) {
    throw error instanceof RpcError ? failed(error.message) : error;
  }
  const { tag } = runningRelease(node);
  if (installerImage(image, tag) !== undefined) return;
  throw failed(
    "installer help returned non-zero exit. assuming invalid installer",
  );
}

async function checkEtcd(node: SimulatedNode): Promise<void> {
  try {
    await checkUpgrade(node);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new RpcError(
      "UNKNOWN",
      `error validating etcd for upgrade: ${error.message}`,
    );
  }
}

async function stageImage(
  node: SimulatedNode,
  { image, preserve }: UpgradeRequest,
): Promise<void> {
  const options = { Pull: false, Force: !preserve, Upgrade: true, Zero: false };
  const encoder = new TextEncoder();
  setMeta(node, metaKey.stagedImage, encoder.encode(image));
  const text = JSON.stringify(options);
  setMeta(node, metaKey.stagedOptions, encoder.encode(text));
  await node.save();
}
