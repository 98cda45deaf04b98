/** Removes all that was made for a cluster of virtual machines, also of one that another client has made. */

import { lockFolder, stopProcess } from "../background.ts";
import { exists } from "../../lib/files/exists.ts";
import { type ClusterLocation, joinFolder, removeFolder } from "../state.ts";
import { removeWireguard } from "./agent/wireguard.ts";
import { readCluster } from "./cluster.ts";
import { removeForeign } from "./foreign_cluster.ts";
import { killMachine } from "./leftovers.ts";
import { removeNetwork } from "./network.ts";

/** Stops machines and servers, removes the network, then the folder. What is gone already does not matter. */
export async function removeCluster(place: ClusterLocation): Promise<void> {
  const folder = joinFolder(place);
  while (true) {
    await stopProcess(folder, stopMs);
    // Keeps a process out that is only about to start; when it was faster, it is stopped too.
    if (!await exists(folder)) return;
    using lock = await lockFolder(folder);
    if (lock === undefined) continue;
    await removeParts(place);
    return await removeFolder(place);
  }
}

async function removeParts(place: ClusterLocation): Promise<void> {
  // What cannot be read was written before more than a network was made.
  const cluster = await readCluster(place).catch(() => undefined);
  if (cluster === undefined) return await removeForeign(place);
  await Promise.all(cluster.machines.map(killMachine));
  if (cluster.agent !== undefined) {
    await removeWireguard(cluster.agent.interface);
  }
  await removeNetwork(cluster.network);
}

/** The process waits for its machines, which have 5 s to end. */
const stopMs = 15_000;
