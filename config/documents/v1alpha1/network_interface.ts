/** `machine.network.interfaces`; documents of their own have taken over. */

import {
  duration,
  int,
  openText,
  string,
  u16,
  u32,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";
import { flag } from "./flag.ts";
import { dhcpOptions, route, vip } from "./network_address.ts";
import { bond, deviceSelector } from "./network_bond.ts";

const bridge: StructShape = struct({
  interfaces: {
    shape: list(openText),
    always: true,
    summary: "Names of the devices",
  },
  stp: {
    shape: struct({ enabled: flag("Loops are found and cut", "true") }),
    optional: true,
    summary: "Spanning tree protocol",
  },
  vlan: {
    shape: struct({
      vlanFiltering: flag("Packets are kept apart by VLAN"),
    }),
    optional: true,
    summary: "VLANs on the bridge",
  },
});

const bridgePort: StructShape = struct({
  master: { shape: openText, summary: "Name of the bridge" },
});

const vlan: StructShape = struct({
  addresses: {
    shape: list(openText),
    summary: "Addresses, with prefix lengths",
  },
  cidr: { shape: openText, summary: "One address", deprecated: "addresses" },
  routes: { shape: list(route), always: true, summary: "Routes" },
  dhcp: flag("Addresses are asked for by DHCP"),
  vlanId: { shape: u16, always: true, summary: "Number of the VLAN" },
  mtu: { shape: u32, summary: "Largest packet, in bytes" },
  vip: {
    shape: vip,
    optional: true,
    summary: "Address that control planes share",
  },
  dhcpOptions: {
    shape: dhcpOptions,
    optional: true,
    summary: "How DHCP is spoken",
  },
});

const wireguardPeer: StructShape = struct({
  publicKey: { shape: openText, summary: "Public key, 32 bytes in base64" },
  endpoint: { shape: openText, summary: "Address and port of the peer" },
  persistentKeepaliveInterval: {
    shape: duration,
    summary: "Time between packets that keep the way open",
  },
  allowedIPs: {
    shape: list(openText),
    summary: "Networks behind the peer",
  },
});

const wireguard: StructShape = struct({
  privateKey: {
    shape: string,
    summary: "Private key, 32 bytes in base64",
    secret: true,
  },
  listenPort: { shape: int, summary: "Port that peers reach" },
  firewallMark: { shape: int, summary: "Mark on packets that leave" },
  peers: { shape: list(wireguardPeer), summary: "The other ends" },
});

/** One network interface. */
export const networkInterface: StructShape = struct({
  interface: { shape: openText, summary: "Name of the interface" },
  deviceSelector: {
    shape: deviceSelector,
    optional: true,
    summary: "Finds the interface by what it is",
  },
  addresses: {
    shape: list(openText),
    summary: "Addresses, with prefix lengths where not of one host",
  },
  cidr: { shape: openText, summary: "One address", deprecated: "addresses" },
  routes: { shape: list(route), summary: "Routes" },
  bond: {
    shape: bond,
    optional: true,
    summary: "Makes it a bond of other interfaces",
  },
  bridge: {
    shape: bridge,
    optional: true,
    summary: "Makes it a bridge of other interfaces",
  },
  bridgePort: {
    shape: bridgePort,
    optional: true,
    since: "1.9",
    summary: "Makes it a port of a bridge",
  },
  vlans: {
    shape: list(vlan),
    merge: ["vlanId"],
    summary: "VLANs on top of it",
  },
  mtu: { shape: int, summary: "Largest packet, in bytes" },
  dhcp: flag("Addresses are asked for by DHCP"),
  ignore: flag("The node leaves the interface alone"),
  dummy: flag("The interface is one without a device"),
  dhcpOptions: {
    shape: dhcpOptions,
    optional: true,
    summary: "How DHCP is spoken",
  },
  wireguard: {
    shape: wireguard,
    optional: true,
    summary: "Makes it a WireGuard tunnel",
  },
  vip: {
    shape: vip,
    optional: true,
    summary: "Address that control planes share",
  },
});
