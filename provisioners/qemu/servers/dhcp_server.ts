/** Serves DHCP and DHCPv6 on the bridge of a cluster. */

import { createSocket, type Socket } from "node:dgram";
import { replyTo } from "./dhcp4.ts";
import { replyTo6 } from "./dhcp6.ts";
import type { Lease } from "./lease.ts";
import { bind } from "../../sockets.ts";

interface DhcpOptions {
  readonly bridge: string;
  /** IPv4 address of the bridge; omitted without DHCP. */
  readonly ipv4?: string | undefined;
  /** MAC address of the bridge, for DHCPv6; omitted without DHCPv6. */
  readonly mac6?: string | undefined;
  readonly leases: readonly Lease[];
  /** Logs each request that was answered. */
  readonly log: (line: string) => void;
}

/**
 * Starts the servers. Returns a function to stop them. Throws Error if a port is permanently in use or not permitted.
 */
export async function serveDhcp(options: DhcpOptions): Promise<() => void> {
  const sockets = [
    ...options.ipv4 === undefined ? [] : await serve4(options, options.ipv4),
    ...options.mac6 === undefined ? [] : await serve6(options, options.mac6),
  ];
  return () => sockets.forEach((socket) => socket.close());
}

async function serve4(
  { leases, log }: DhcpOptions,
  address: string,
): Promise<Socket[]> {
  // Requests are broadcasts. Broadcast replies leave by the interface of their source address, so they need
  // their own socket. Several clusters share the ports; each replies only to its own machines.
  const everybody = createSocket({ type: "udp4", reuseAddr: true });
  const own = createSocket({ type: "udp4", reuseAddr: true });
  const receive = (
    packet: Uint8Array,
    sender: { readonly address: string },
  ) => {
    const reply = replyTo(packet, address, leases);
    if (reply === undefined) return;
    const hasAddress = sender.address !== "0.0.0.0";
    const to = hasAddress ? sender.address : "255.255.255.255";
    log(`dhcp: ${reply.subarray(16, 20).join(".")} to ${to}`);
    own.send(reply, 68, to, ignoreError);
  };
  for (const socket of [everybody, own]) {
    socket.on("message", receive);
    socket.on("error", (error) => log(`dhcp: ${error.message}`));
  }
  await bind(own, 67, address);
  own.setBroadcast(true);
  await bind(everybody, 67, "0.0.0.0");
  return [everybody, own];
}

async function serve6(
  { bridge, leases, log }: DhcpOptions,
  mac: string,
): Promise<Socket[]> {
  const socket = createSocket({
    type: "udp6",
    reuseAddr: true,
    ipv6Only: true,
  });
  socket.on("message", (packet, sender) => {
    const reply = replyTo6(packet, mac, leases, sender.address);
    if (reply === undefined) return;
    // A link-local address, whose scope is not part of it.
    const [address = ""] = sender.address.split("%");
    log(`dhcp: reply to ${address}`);
    socket.send(reply, sender.port, `${address}%${bridge}`, ignoreError);
  });
  socket.on("error", (error) => log(`dhcp: ${error.message}`));
  await bind(socket, 547, "::");
  // All servers and relays (RFC 8415, section 7.1).
  socket.addMembership("ff02::1:2", `::%${bridge}`);
  return [socket];
}

function ignoreError(): void {}
