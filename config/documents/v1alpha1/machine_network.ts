/** `machine.network`. */

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
import { bond, deviceSelector } from "./network_bond.ts";

/** A route. */
const route: StructShape = struct({
  network: field(openText, "Where it leads; everywhere when empty", {
    always: true,
  }),
  gateway: field(openText, "Next hop; the link itself when empty", {
    always: true,
  }),
  source: field(openText, "Source address of what takes the route"),
  metric: field(u32, "Priority; the lower number wins"),
  mtu: field(u32, "Largest packet on the route, in bytes"),
});

/** How DHCP is spoken. */
const dhcpOptions: StructShape = struct({
  routeMetric: field(u32, "Priority of routes the server names", {
    always: true,
    initial: "1024",
  }),
  ipv4: flag("Addresses of version 4 are asked for", "true"),
  ipv6: flag("Addresses of version 6 are asked for"),
  duidv6: field(
    openText,
    "Identity towards servers of version 6, in hexadecimal",
  ),
});

const apiToken = {
  apiToken: field(string, "Token for the provider's API", {
    always: true,
    secret: true,
  }),
} as const;

/** An address that control planes share. */
const vip: StructShape = struct({
  ip: field(openText, "The address"),
  equinixMetal: field(
    struct(apiToken),
    "The address is moved by this provider's API",
    { optional: true },
  ),
  hcloud: field(
    struct(apiToken),
    "The address is moved by this provider's API",
    { optional: true },
  ),
});

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
const networkInterface: StructShape = struct({
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

const hostEntry: StructShape = struct({
  ip: field(openText, "Address", { always: true }),
  aliases: field(list(openText), "Its names", { always: true }),
});

const filters: StructShape = struct({
  endpoints: field(
    list(openText),
    "Networks whose addresses are offered; a leading ! excludes",
    { example: ["0.0.0.0/0", "!192.0.2.0/24", "::/0"] },
  ),
  excludeAdvertisedNetworks: field(
    list(openText),
    "Networks that are not advertised to peers",
    { since: "1.12", example: ["192.0.2.0/24", "2001:db8::/32"] },
  ),
});

const kubeSpan: StructShape = struct({
  enabled: flag("The mesh is built"),
  advertiseKubernetesNetworks: flag(
    "Traffic between pods takes the mesh as well",
  ),
  allowDownPeerBypass: flag(
    "Traffic goes unencrypted while a peer cannot be reached",
  ),
  harvestExtraEndpoints: flag("Addresses seen by peers are passed on"),
  mtu: field(u32, "Largest packet inside the mesh, in bytes, at least 1280", {
    optional: true,
    initial: "1420",
    example: 1380,
  }),
  filters: field(filters, "Which addresses and networks the node offers", {
    optional: true,
    example: {
      endpoints: ["0.0.0.0/0", "::/0"],
      excludeAdvertisedNetworks: ["192.0.2.0/24"],
    },
  }),
});

/** The node's network. */
export const machineNetwork: StructShape = struct({
  hostname: field(openText, "Name of the node", {
    deprecated: "HostnameConfig",
  }),
  interfaces: field(
    list(networkInterface),
    "Interfaces, by name or by what they are",
    { merge: ["interface", "deviceSelector"], deprecated: "LinkConfig" },
  ),
  nameservers: field(list(openText), "DNS servers", {
    deprecated: "ResolverConfig",
  }),
  searchDomains: field(list(openText), "Domains tried for short names", {
    since: "1.9",
    deprecated: "ResolverConfig",
  }),
  extraHostEntries: field(list(hostEntry), "Names with fixed addresses", {
    deprecated: "StaticHostConfig",
  }),
  kubespan: field(kubeSpan, "Encrypted mesh between all nodes of the cluster", {
    optional: true,
    example: { enabled: true, mtu: 1420 },
  }),
  disableSearchDomain: {
    ...flag("No domain is tried for short names"),
    deprecated: "ResolverConfig",
  },
});
