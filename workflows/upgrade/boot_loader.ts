/** Which boot loader has started a node: evidence, for there is no call that asks. */

import { domain } from "../../dialect.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readSpec } from "../operations/read_resource.ts";
import { readLoaderVariable } from "./install_state.ts";

/** Boot loaders of nodes. */
export type BootLoader = "systemd-boot" | "grub";

/**
 * Finds out which boot loader has started a node.
 *
 * @returns `undefined` when the node does not tell, or has none.
 */
export async function readBootLoader(
  client: NodeClient,
): Promise<BootLoader | undefined> {
  const spec = await readSpec(client, {
    namespace: "runtime",
    type: `SecurityStates.${domain}`,
    id: "securitystate",
  });
  if (spec === undefined) return undefined;
  // GRUB starts neither these images nor anything that is signed.
  if (spec.bootedWithUKI === true || spec.secureBoot === true) {
    return "systemd-boot";
  }
  // It alone leaves a name there.
  const entry = await readLoaderVariable(client, "LoaderEntrySelected");
  return entry === undefined ? "grub" : "systemd-boot";
}
