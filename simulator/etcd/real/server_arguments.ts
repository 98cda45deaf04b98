/** Arguments of an etcd server: those of nodes, with its own file paths. */

import { formatEndpoint } from "../../state/node_address.ts";
import type { InitialCluster } from "../../state/etcd.ts";

/** Arguments of the server. */
export function serverArguments(
  { folder, place, name, initial }: {
    readonly folder: string;
    readonly place: EtcdListenAddress;
    readonly name: string;
    /** Initial cluster; `undefined` if it has data. */
    readonly initial: InitialCluster | undefined;
  },
): readonly string[] {
  const pki = `${folder}/pki`;
  const peerUrl = formatPeerUrl(place);
  const clientUrl = formatUrl(place.host, place.clientPort);
  const cluster = initial?.members.map((one) => `${one.name}=${one.peerUrl}`);
  return [
    ["name", name],
    ["data-dir", `${folder}/data`],
    ["listen-peer-urls", peerUrl],
    ["initial-advertise-peer-urls", peerUrl],
    ["listen-client-urls", clientUrl],
    ["advertise-client-urls", clientUrl],
    ["client-cert-auth", "true"],
    ["trusted-ca-file", `${pki}/ca.crt`],
    ["cert-file", `${pki}/server.crt`],
    ["key-file", `${pki}/server.key`],
    ["peer-client-cert-auth", "true"],
    ["peer-trusted-ca-file", `${pki}/ca.crt`],
    ["peer-cert-file", `${pki}/peer.crt`],
    ["peer-key-file", `${pki}/peer.key`],
    ["logger", "zap"],
    ["log-outputs", "stderr"],
    ...initial
      ? [
        ["initial-cluster", cluster?.join(",")],
        ["initial-cluster-state", initial.isNew ? "new" : "existing"],
      ]
      : [],
  ].map(([flag, value]) => `--${flag}=${value}`);
}

/** Peer URL of a server. */
export function formatPeerUrl({ host, peerPort }: EtcdListenAddress): string {
  return formatUrl(host, peerPort);
}

function formatUrl(host: string, port: number): string {
  return `https://${formatEndpoint({ host, port })}`;
}

/** Address and ports of a server. */
export interface EtcdListenAddress {
  readonly host: string;
  readonly peerPort: number;
  readonly clientPort: number;
}

/** Default etcd ports on nodes. */
export const defaultPorts = { peerPort: 2380, clientPort: 2379 } as const;

/** Start of the port range, below ephemeral ports. */
const lowest = 20_000;
const count = 12_000;

/** Finds free ports on an address. Throws Error if the address is not of this machine. */
export function freePorts(host: string): EtcdListenAddress {
  // Hold both until both are found: they have to differ.
  using peer = listen(host);
  using client = listen(host);
  return { host, peerPort: peer.addr.port, clientPort: client.addr.port };
}

function listen(hostname: string): Deno.TcpListener {
  while (true) {
    const port = lowest + Math.floor(Math.random() * count);
    try {
      return Deno.listen({ hostname, port });
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
