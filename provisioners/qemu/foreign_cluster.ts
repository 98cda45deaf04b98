/** Cluster of virtual machines created by talosctl: each machine and server is a separate process. */

import type { ClusterStatus } from "../provisioner.ts";
import { hostPort } from "../../lib/ip.ts";
import {
  type ClusterLocation,
  joinFolder,
  type LocalCluster,
  type LocalNode,
  readState,
} from "../state.ts";
import { locateFiles } from "./arguments.ts";
import { killByFile, runningProcess } from "./leftovers.ts";
import { removeNetwork } from "./network.ts";

/** Finds its running machines. */
export async function foreignStatus(
  place: ClusterLocation,
  cluster: LocalCluster,
): Promise<ClusterStatus> {
  const { nodes, network: { gatewayaddrs: [gateway = ""] } } =
    cluster.clusterinfo;
  const folder = joinFolder(place);
  const found = await Promise.all(nodes.map(async (node) => {
    const { pid } = locateFiles({ folder, name: node.name });
    const launched = await runningProcess(pid, isLauncher) !== undefined;
    const on = launched && await isSwitchedOn(gateway, node);
    return { address: node.ips[0] ?? "", launched, on };
  }));
  const running = found.some(({ launched }) => launched);
  const off = running ? found.filter(({ on }) => !on) : [];
  return { cluster, running, off: off.map(({ address }) => address) };
}

/** Stops its machines and servers, and removes its network. */
export async function removeForeign(place: ClusterLocation): Promise<void> {
  const folder = joinFolder(place);
  const state = await readState(place).catch(() => undefined);
  const nodes = state?.clusterinfo.nodes ?? [];
  // Machine launchers first: they detach machines from the network on exit.
  const files = nodes.map((node) => locateFiles({ folder, name: node.name }));
  await Promise.all(files.map(({ pid }) => killByFile(pid, isLauncher)));
  for (const { monitor, tpm } of files) {
    await quit(monitor);
    await killByFile(`${tpm}/swtpm.pid`, (line) => line.includes(folder));
  }
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".pid")) {
      await killByFile(`${folder}/${name}`, isLauncher);
    }
  }
  const bridge = state?.bridgename;
  if (bridge) await removeNetwork({ bridge, taps: [] });
}

function isLauncher(commandLine: string): boolean {
  return /\b[\w-]+-launch\b/.test(commandLine);
}

/** On timeout a machine counts as on, since its process exists. */
async function isSwitchedOn(
  gateway: string,
  { apiport }: LocalNode,
): Promise<boolean> {
  try {
    const response = await fetch(
      `http://${hostPort(gateway, apiport)}/status`,
      { signal: AbortSignal.timeout(1_000) },
    );
    return (await response.json()).PoweredOn !== false;
  } catch {
    return true;
  }
}

async function quit(monitor: string): Promise<void> {
  try {
    using connection = await Deno.connect({ transport: "unix", path: monitor });
    await connection.write(new TextEncoder().encode("quit\n"));
    const bytes = new Uint8Array(1024);
    while (await connection.read(bytes) !== null);
  } catch {
    // It has ended with its launcher.
  }
}
