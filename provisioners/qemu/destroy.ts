/** Destroys clusters of virtual machines, also those created by talosctl. */

import { lockFolder, stopProcess } from "../background.ts";
import { exists } from "../../lib/files/exists.ts";
import { type ClusterLocation, joinFolder, removeFolder } from "../state.ts";
import { removeWireguard } from "./agent/wireguard.ts";
import { readCluster } from "./cluster.ts";
import { removeForeign } from "./foreign_cluster.ts";
import { killMachine } from "./leftovers.ts";
import { removeNetwork } from "./network.ts";

/** Stops machines and servers, removes the network, then the folder. Missing parts are ignored. */
export async function removeCluster(place: ClusterLocation): Promise<void> {
  const folder = joinFolder(place);
  while (true) {
    await stopProcess(folder, stopMs);
    // Prevents another process from starting; one that already started is stopped too.
    if (!await exists(folder)) return;
    using lock = await lockFolder(folder);
    if (lock === undefined) continue;
    await removeParts(place);
    return await removeFolder(place);
  }
}

async function removeParts(place: ClusterLocation): Promise<void> {
  // If it is unreadable, at most a network was created.
  const cluster = await readCluster(place).catch(() => undefined);
  if (cluster === undefined) return await removeForeign(place);
  await Promise.all(cluster.machines.map(killMachine));
  if (cluster.agent !== undefined) {
    await removeWireguard(cluster.agent.interface);
  }
  await removeNetwork(cluster.network);
}

/** Grace period in milliseconds: the process waits up to 5 s for its machines. */
const stopMs = 15_000;
