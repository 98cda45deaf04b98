import { hostPort } from "../../lib/ip.ts";
import type { SimulatedNode } from "./node.ts";
import type { ListenAddress } from "../wire/listening.ts";

/** Where a node is. */
export interface NodeAddress extends ListenAddress {
  /** Address other nodes and `--nodes` know it by, without port; default {@linkcode host}. */
  readonly address?: string;
}

/** Place of a node, control planes counted first from 0; `undefined` for one that does not listen. */
export type NodeAddresses = (index: number) => NodeAddress | undefined;

/** All nodes on 127.0.0.1, each on a free port, known as `10.5.0.2` and so on. */
export function loopbackAddresses(index: number): NodeAddress {
  return {
    host: "127.0.0.1",
    port: 0,
    address: formatAddress(undefined, index),
  };
}

/** Address by which a node is known; without a place `10.5.0.2` and so on. */
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

/** Where nodes listen, by the address they are known by; those that do not listen are omitted. */
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

/** The node that new connections to a node's address reach: itself, unless `vip-moves` is on. */
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
