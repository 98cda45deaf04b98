/** What a node does when one of its sequences has failed. */

import { reverted } from "./boot_entries.ts";
import { logKernel } from "../node/kernel_log.ts";
import { deleteMeta, metaKey } from "../node/meta.ts";
import type { SimulatedNode } from "../node/node.ts";

/**
 * Chooses the system that worked before an upgrade, if this is the first boot
 * behind one, and waits a little; whoever calls takes the power away then.
 */
export async function panic(node: SimulatedNode): Promise<void> {
  const label = node.disk.meta.get(metaKey.upgrade);
  if (label !== undefined) {
    const name = new TextDecoder().decode(label);
    if (name !== "") {
      logKernel(node, `reverting failed upgrade, switching to "${name}"`);
      const { bootEntries } = node.disk;
      node.disk.bootEntries = bootEntries &&
        (reverted(bootEntries) ?? bootEntries);
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
