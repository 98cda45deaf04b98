import { hostPort } from "../../lib/ip.ts";
import type { SimulatedNode } from "./node.ts";
import type { ListenAddress } from "../wire/listen.ts";

/** Address of a node. */
export interface NodeAddress extends ListenAddress {
  /** Node address as in `--nodes`, without port; default {@linkcode host}. */
  readonly address?: string;
}

/** Returns the address of a node by index, control planes first, from 0; `undefined` for one that does not listen. */
export type NodeAddresses = (index: number) => NodeAddress | undefined;

/** All nodes on 127.0.0.1, each on a free port, with node addresses from `10.5.0.2`. */
export function loopbackAddresses(index: number): NodeAddress {
  return {
    host: "127.0.0.1",
    port: 0,
    address: formatAddress(undefined, index),
  };
}

/** Node address; without a listen address counted from `10.5.0.2`. */
export function formatAddress(
  place: NodeAddress | undefined,
  index: number,
): string {
  const number = index + 2;
  return place?.address ?? place?.host ??
    `10.5.${Math.floor(number / 250)}.${number % 250}`;
}

/** `host:port`, an IPv6 address in brackets. */
export function formatEndpoint({ host, port }: ListenAddress): string {
  return hostPort(host, port);
}

/** Listen addresses by node address; nodes that do not listen are omitted. */
export function assignHosts(
  count: number,
  addresses: NodeAddresses = loopbackAddresses,
): ReadonlyMap<string, string> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return new Map(indexes.flatMap((index) => {
    const place = addresses(index);
    return place ? [[formatAddress(place, index), place.host]] : [];
  }));
}

/** Node that serves new connections to a node's address: itself, unless `vip-moves` is on. */
export function answeringNode(node: SimulatedNode): SimulatedNode {
  const fault = node.faults.get("vip-moves");
  if (!fault) return node;
  const { nodes } = node.cluster;
  const chosen = nodes.find(({ identity: { address, hostname } }) =>
    address === fault.node || hostname === fault.node
  );
  const controlPlanes = nodes.filter((one) =>
    one !== node && one.identity.machineType === "controlplane"
  );
  return chosen ?? controlPlanes.at(-1) ?? node;
}
