/** Power control of simulated nodes. */

import { type PowerChange, switchPower } from "../../simulator/boot/power.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { readRequest, request, writeApplied } from "./file_requests.ts";
import { type ClusterLocation, writeOff } from "../state.ts";

interface PowerRequest {
  readonly action: PowerChange;
  readonly nodes: readonly string[];
}

const nothing: PowerRequest = { action: "on", nodes: [] };

/**
 * Switches the power of nodes, and waits until it is switched, but not for the boot. Throws `OsctlError` if the
 * nodes of the cluster do not run.
 */
export async function changePower(
  place: ClusterLocation,
  wanted: PowerRequest,
  signal: AbortSignal,
): Promise<void> {
  const change = () => wanted;
  await request(place, { subject: "power", initial: nothing, change, signal });
}

/**
 * Applies power requests to nodes, and records which nodes are off. Returns a function to call periodically;
 * it is cheap if nothing changed.
 */
export async function powerFollower(
  folder: string,
  nodes: readonly SimulatedNode[],
): Promise<() => Promise<void>> {
  // Requests from before this process started are done or obsolete.
  let { revision } = await readRequest(folder, "power", nothing);
  let known: string | undefined;
  return async () => {
    const next = await readRequest(folder, "power", nothing);
    const isNew = next.revision !== revision;
    if (isNew) {
      const { action, nodes: addresses } = next.wanted;
      const chosen = nodes.filter((node) =>
        listAddresses(node).some((address) => addresses.includes(address))
      );
      await Promise.all(chosen.map((node) => switchPower(node, action)));
    }
    const off = nodes.filter(({ isOff }) => isOff).flatMap(listAddresses);
    const text = off.join();
    if (text !== known) await writeOff(folder, off);
    known = text;
    if (!isNew) return;
    revision = next.revision;
    await writeApplied(folder, "power", { revision, problems: [] });
  };
}

/** Lists the addresses of a node: the current one, and the original one. */
function listAddresses(
  { identity, origin }: SimulatedNode,
): readonly string[] {
  return [...new Set([identity.address, origin.address])];
}
