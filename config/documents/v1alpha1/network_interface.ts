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
import { field, flag, list, struct } from "../shapes.ts";
import { dhcpOptions, route, vip } from "./network_address.ts";
import { bond, deviceSelector } from "./network_bond.ts";

const bridge: StructShape = struct({
  interfaces: field(list(openText), "Names of the devices", { always: true }),
  stp: field(
    struct({ enabled: flag("Loops are found and cut", "true") }),
    "Spanning tree protocol",
    { optional: true },
  ),
  vlan: field(
    struct({
      vlanFiltering: flag("Packets are kept apart by VLAN"),
    }),
    "VLANs on the bridge",
    { optional: true },
  ),
});

const bridgePort: StructShape = struct({
  master: field(openText, "Name of the bridge"),
});

const vlan: StructShape = struct({
  addresses: field(list(openText), "Addresses, with prefix lengths"),
  cidr: field(openText, "One address", { deprecated: "addresses" }),
  routes: field(list(route), "Routes", { always: true }),
  dhcp: flag("Addresses are asked for by DHCP"),
  vlanId: field(u16, "Number of the VLAN", { always: true }),
  mtu: field(u32, "Largest packet, in bytes"),
  vip: field(vip, "Address that control planes share", { optional: true }),
  dhcpOptions: field(dhcpOptions, "How DHCP is spoken", { optional: true }),
});

const wireguardPeer: StructShape = struct({
  publicKey: field(openText, "Public key, 32 bytes in base64"),
  endpoint: field(openText, "Address and port of the peer"),
  persistentKeepaliveInterval: field(
    duration,
    "Time between packets that keep the way open",
  ),
  allowedIPs: field(list(openText), "Networks behind the peer"),
});

const wireguard: StructShape = struct({
  privateKey: field(string, "Private key, 32 bytes in base64", {
    secret: true,
  }),
  listenPort: field(int, "Port that peers reach"),
  firewallMark: field(int, "Mark on packets that leave"),
  peers: field(list(wireguardPeer), "The other ends"),
});

/** One network interface. */
export const networkInterface: StructShape = struct({
  interface: field(openText, "Name of the interface"),
  deviceSelector: field(deviceSelector, "Finds the interface by what it is", {
    optional: true,
  }),
  addresses: field(
    list(openText),
    "Addresses, with prefix lengths where not of one host",
  ),
  cidr: field(openText, "One address", { deprecated: "addresses" }),
  routes: field(list(route), "Routes"),
  bond: field(bond, "Makes it a bond of other interfaces", { optional: true }),
  bridge: field(bridge, "Makes it a bridge of other interfaces", {
    optional: true,
  }),
  bridgePort: field(bridgePort, "Makes it a port of a bridge", {
    optional: true,
    since: "1.9",
  }),
  vlans: field(list(vlan), "VLANs on top of it", { merge: ["vlanId"] }),
  mtu: field(int, "Largest packet, in bytes"),
  dhcp: flag("Addresses are asked for by DHCP"),
  ignore: flag("The node leaves the interface alone"),
  dummy: flag("The interface is one without a device"),
  dhcpOptions: field(dhcpOptions, "How DHCP is spoken", { optional: true }),
  wireguard: field(wireguard, "Makes it a WireGuard tunnel", {
    optional: true,
  }),
  vip: field(vip, "Address that control planes share", { optional: true }),
});
