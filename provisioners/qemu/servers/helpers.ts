/** Servers for virtual machines on the bridge of a cluster. */

import { exists } from "../../../lib/files/exists.ts";
import { hostPort } from "../../../lib/ip.ts";
import { ports, type QemuCluster } from "../cluster.ts";
import { serveAgent } from "../agent/serve.ts";
import { serveDhcp } from "./dhcp_server.ts";
import { nameserversIn, serveDns } from "./dns.ts";
import { serveJsonLogs } from "./json_logs.ts";
import { serveKms } from "./kms.ts";
import type { Lease } from "./lease.ts";
import { serveLoadBalancer } from "./load_balancer.ts";
import { serveTftp } from "./tftp.ts";

/** Log files for data sent by nodes. */
export const logFiles = {
  services: "json-logs.log",
  events: "agent-events.log",
  kernel: "agent-kernel.log",
};

/** File name of iPXE in TFTP requests. */
const bootFile = "ipxe.efi";

/** Paths of iPXE in distributions. */
const bootFiles = [
  "/usr/lib/ipxe/snponly.efi",
  "/usr/lib/ipxe/ipxe.efi",
  "/usr/share/ipxe/ipxe-snponly-x86_64.efi",
  "/boot/ipxe.efi",
];

/**
 * Starts all servers of a cluster.
 *
 * @param folder Folder of the cluster, for the logs of its nodes.
 * @param log Receives a line of the servers' own log.
 * @returns Function to stop them.
 * @throws {Error} If one cannot listen; the others are stopped.
 */
export async function startHelpers(
  cluster: QemuCluster,
  folder: string,
  log: (line: string) => void,
): Promise<() => void> {
  const stops: (() => void)[] = [];
  const stop = () => stops.forEach((one) => one());
  try {
    for await (const one of servers(cluster, folder, log)) stops.push(one);
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}

async function* servers(
  cluster: QemuCluster,
  folder: string,
  log: (line: string) => void,
): AsyncGenerator<() => void> {
  const { network, controlPlanePort, machines, kmsKey } = cluster;
  const gateways = network.subnets.map(({ gateway }) => gateway);
  const [gateway = ""] = gateways;
  const upstreams = machines.flatMap(({ type, ips: [ip = ""] }) =>
    type === "worker" ? [] : [hostPort(ip, controlPlanePort)]
  );
  for (const host of gateways) {
    const balancer = serveLoadBalancer({
      host,
      port: controlPlanePort,
      upstreams,
    });
    yield balancer.close;
    const dns = await serveDns({ host, port: 53, upstreams: hostNameservers });
    yield dns.close;
  }
  const v6 = gateways.some((host) => host.includes(":"));
  yield await serveDhcp({
    bridge: network.bridge,
    ipv4: gateways.find((host) => !host.includes(":")),
    mac6: v6 ? network.mac : undefined,
    leases: machines.map((_, at) => findLease(cluster, at)),
    log,
  });
  if (cluster.bootScript !== undefined) {
    const tftp = await serveTftp({
      host: gateway,
      port: 69,
      read: readBootFile,
    });
    yield tftp.close;
  }
  if (kmsKey !== undefined) {
    const key = Uint8Array.fromBase64(kmsKey);
    const kms = await serveKms({ host: gateway, port: ports.kms, key });
    yield kms.close;
  }
  const appendTo = (name: string) => (line: string) =>
    Deno.writeTextFile(`${folder}/${name}`, line, {
      append: true,
      mode: 0o600,
    });
  if (cluster.hasJsonLogs) {
    const logs = serveJsonLogs({
      host: gateway,
      port: ports.jsonLogs,
      write: appendTo(logFiles.services),
    });
    yield logs.close;
  }
  if (cluster.agent !== undefined) {
    yield await serveAgent(cluster.agent, {
      event: appendTo(logFiles.events),
      log: appendTo(logFiles.kernel),
      note: log,
    });
  }
}

/** Returns the DHCP lease of a machine. `at`: its index in the cluster from 0. */
export function findLease(
  { machines, network, nameservers, isNamedByDhcp, bootScript }: QemuCluster,
  at: number,
): Lease {
  const machine = machines[at];
  if (machine === undefined) throw new RangeError(`There is no machine ${at}`);
  const { mac, name, ips, serverPort } = machine;
  const [first] = network.subnets;
  const families = network.subnets.map(({ gateway, prefix }, index) => {
    const isV6 = gateway.includes(":");
    const leased = {
      address: ips[index] ?? "",
      prefix,
      gateway,
      nameservers: nameservers.filter((one) => one.includes(":") === isV6),
    };
    return isV6 ? { ipv6: leased } : { ipv4: leased };
  });
  const server = first?.gateway ?? "";
  return {
    mac,
    ...isNamedByDhcp ? { hostname: name } : {},
    mtu: network.mtu,
    ...Object.assign({}, ...families),
    ...bootScript === undefined ? {} : {
      boot: {
        server,
        file: bootFile,
        script: `http://${hostPort(server, serverPort)}/boot.ipxe`,
      },
    },
  };
}

async function hostNameservers(): Promise<readonly string[]> {
  return nameserversIn(
    await Deno.readTextFile("/etc/resolv.conf").catch(() => ""),
  );
}

async function readBootFile(name: string): Promise<Uint8Array | undefined> {
  if (name.replace(/^\/+/, "") !== bootFile) return undefined;
  for (const path of bootFiles) {
    if (await exists(path)) return await Deno.readFile(path);
  }
  return undefined;
}
