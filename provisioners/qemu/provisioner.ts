import { OsctlError } from "../../errors.ts";
import { isRunning } from "../background.ts";
import type { PowerAction, Provisioner } from "../provisioner.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  type LocalNode,
  readOff,
  readState,
} from "../state.ts";
import { locateFiles } from "./arguments.ts";
import { readCluster } from "./cluster.ts";
import { createQemu, startQemu } from "./create.ts";
import { removeCluster } from "./destroy.ts";
import { foreignStatus } from "./foreign_cluster.ts";
import { hostPort } from "../../lib/ip.ts";
import type { QemuSpec } from "./spec.ts";

/** Provisioner for clusters of virtual machines. */
export const qemu: Provisioner<QemuSpec> = {
  create: createQemu,
  start: startQemu,
  async show(place) {
    const cluster = await readState(place);
    if (cluster === undefined) return undefined;
    if (await readCluster(place) === undefined) {
      return await foreignStatus(place, cluster);
    }
    const names = new Set(await readOff(joinFolder(place)));
    const off = cluster.clusterinfo.nodes.filter(({ name }) => names.has(name));
    return {
      cluster,
      running: await isRunning(place),
      off: off.flatMap(({ ips }) => ips.slice(0, 1)),
    };
  },
  async destroy(place, { progress }) {
    await progress.phase("stopping nodes", () => removeCluster(place));
  },
  async *logs(place, { name }, signal) {
    const { log } = locateFiles({ folder: joinFolder(place), name });
    const file = await Deno.open(log).catch(() => undefined);
    if (file === undefined) return;
    for await (const chunk of file.readable) {
      signal.throwIfAborted();
      yield chunk;
    }
  },
  async power(place, { action, nodes }, signal) {
    await Promise.all(
      nodes.map((node) => change(place, { action, node }, signal)),
    );
  },
  async ca(place) {
    return (await readCluster(place))?.ca;
  },
};

const paths: Readonly<Record<PowerAction, string>> = {
  on: "poweron",
  off: "poweroff",
  cycle: "reboot",
};

async function change(
  place: ClusterLocation,
  { action, node }: { readonly action: PowerAction; readonly node: LocalNode },
  signal: AbortSignal,
): Promise<void> {
  const state = await readState(place);
  if (state === undefined) throw clusterNotFound(place);
  const cluster = await readCluster(place);
  const machine = cluster?.machines.find(({ name }) => name === node.name);
  const [gateway = ""] = state.clusterinfo.network.gatewayaddrs;
  // For clusters of talosctl the port is in the state.
  const port = machine?.serverPort ?? node.apiport;
  const url = `http://${hostPort(gateway, port)}/${paths[action]}`;
  let response: Response;
  try {
    response = await fetch(url, { method: "POST", signal });
  } catch (error) {
    throw new OsctlError(
      `Cannot switch the power of ${node.name}: the cluster is not running`,
      {
        hint: `Start it with: osctl cluster start --name ${place.name}`,
        cause: error,
      },
    );
  }
  await response.body?.cancel();
  if (response.ok) return;
  throw new OsctlError(
    `Cannot switch the power of ${node.name}: its supervisor returned HTTP status ${response.status}`,
  );
}
