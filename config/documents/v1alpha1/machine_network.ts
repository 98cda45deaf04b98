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
import { field, flag, list, listWithGaps, struct } from "../shapes.ts";
import { bond, deviceSelector } from "./network_bond.ts";

const route: StructShape = struct({
  network: field(openText, "Destination network; empty for a default route", {
    always: true,
  }),
  gateway: field(
    openText,
    "Gateway; empty if the network is directly connected",
    {
      always: true,
    },
  ),
  source: field(openText, "Source address for packets that use this route"),
  metric: field(u32, "Metric; the route with the lowest metric is preferred"),
  mtu: field(u32, "MTU of the route, in bytes"),
});

const dhcpOptions: StructShape = struct({
  routeMetric: field(u32, "Metric of routes received from the server", {
    always: true,
    initial: "1024",
  }),
  ipv4: flag("Enables DHCP for IPv4", "true"),
  ipv6: flag("Enables DHCP for IPv6"),
  duidv6: field(
    openText,
    "DUID for DHCPv6, in hexadecimal",
  ),
});

const apiToken = {
  apiToken: field(string, "API token of the provider", {
    always: true,
    secret: true,
  }),
} as const;

const vip: StructShape = struct({
  ip: field(openText, "The virtual IP"),
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
  interfaces: field(list(openText), "Names of the links to add as ports", {
    always: true,
  }),
  stp: field(
    struct({ enabled: flag("Enables STP", "true") }),
    "Spanning Tree Protocol (STP) settings",
    { optional: true },
  ),
  vlan: field(
    struct({
      vlanFiltering: flag("Enables VLAN filtering"),
    }),
    "VLAN settings",
    { optional: true },
  ),
});

const bridgePort: StructShape = struct({
  master: field(openText, "Name of the bridge"),
});

const vlan: StructShape = struct({
  addresses: field(list(openText), "Addresses with prefix lengths"),
  cidr: field(openText, "Address with prefix length", {
    deprecated: "addresses",
  }),
  routes: field(listWithGaps(route), "Static routes", { always: true }),
  dhcp: flag("Enables DHCP"),
  vlanId: field(u16, "VLAN ID", { always: true }),
  mtu: field(u32, "MTU, in bytes"),
  vip: field(vip, "Virtual IP (VIP) shared by control planes", {
    optional: true,
  }),
  dhcpOptions: field(dhcpOptions, "DHCP options", { optional: true }),
});

const wireguardPeer: StructShape = struct({
  publicKey: field(openText, "Public key, 32 bytes in base64"),
  endpoint: field(openText, "Endpoint of the peer, host:port"),
  persistentKeepaliveInterval: field(
    duration,
    "Interval between keepalive packets",
  ),
  allowedIPs: field(list(openText), "Networks routed to the peer"),
});

const wireguard: StructShape = struct({
  privateKey: field(string, "Private key, 32 bytes in base64", {
    secret: true,
  }),
  listenPort: field(int, "UDP port to listen on"),
  firewallMark: field(int, "Firewall mark of packets the tunnel sends"),
  peers: field(listWithGaps(wireguardPeer), "WireGuard peers"),
});

const networkInterface: StructShape = struct({
  interface: field(openText, "Name of the interface"),
  deviceSelector: field(
    deviceSelector,
    "Selects the interface by its properties",
    {
      optional: true,
    },
  ),
  addresses: field(
    list(openText),
    "Addresses; with prefix lengths unless they are single hosts",
  ),
  cidr: field(openText, "Address with prefix length", {
    deprecated: "addresses",
  }),
  routes: field(listWithGaps(route), "Static routes"),
  bond: field(bond, "Makes the interface a bond of other interfaces", {
    optional: true,
  }),
  bridge: field(bridge, "Makes the interface a bridge of other interfaces", {
    optional: true,
  }),
  bridgePort: field(bridgePort, "Makes the interface a port of a bridge", {
    optional: true,
    since: "1.9",
  }),
  vlans: field(list(vlan), "VLANs on the interface", { merge: ["vlanId"] }),
  mtu: field(int, "MTU, in bytes"),
  dhcp: flag("Enables DHCP"),
  ignore: flag("Ignores the interface"),
  dummy: flag("Makes the interface a dummy interface"),
  dhcpOptions: field(dhcpOptions, "DHCP options", { optional: true }),
  wireguard: field(wireguard, "Makes the interface a WireGuard tunnel", {
    optional: true,
  }),
  vip: field(vip, "Virtual IP (VIP) shared by control planes", {
    optional: true,
  }),
});

const hostEntry: StructShape = struct({
  ip: field(openText, "IP address", { always: true }),
  aliases: field(list(openText), "Hostnames that resolve to the address", {
    always: true,
  }),
});

const filters: StructShape = struct({
  endpoints: field(
    list(openText),
    "Subnets of addresses to advertise as endpoints; ! excludes one",
    { example: ["0.0.0.0/0", "!192.0.2.0/24", "::/0"] },
  ),
  excludeAdvertisedNetworks: field(
    list(openText),
    "Networks not to advertise to peers",
    { since: "1.12", example: ["192.0.2.0/24", "2001:db8::/32"] },
  ),
});

const kubeSpan: StructShape = struct({
  enabled: flag("Enables KubeSpan"),
  advertiseKubernetesNetworks: flag(
    "Routes pod traffic over KubeSpan instead of the CNI",
  ),
  allowDownPeerBypass: flag(
    "Sends traffic unencrypted while a peer is down, instead of dropping it",
  ),
  harvestExtraEndpoints: flag(
    "Publishes the endpoints at which peers are seen",
  ),
  mtu: field(u32, "MTU of the KubeSpan link, in bytes, at least 1280", {
    optional: true,
    initial: "1420",
    example: 1380,
  }),
  filters: field(filters, "Filters for advertised endpoints and networks", {
    optional: true,
    example: {
      endpoints: ["0.0.0.0/0", "::/0"],
      excludeAdvertisedNetworks: ["192.0.2.0/24"],
    },
  }),
});

/** The node's network. */
export const machineNetwork: StructShape = struct({
  hostname: field(openText, "Hostname of the node", {
    deprecated: "HostnameConfig",
  }),
  interfaces: field(
    list(networkInterface),
    "Network interfaces",
    { merge: ["interface", "deviceSelector"], deprecated: "LinkConfig" },
  ),
  nameservers: field(list(openText), "DNS servers", {
    deprecated: "ResolverConfig",
  }),
  searchDomains: field(
    list(openText),
    "Search domains for names without a dot",
    {
      since: "1.9",
      deprecated: "ResolverConfig",
    },
  ),
  extraHostEntries: field(
    listWithGaps(hostEntry),
    "Static entries for /etc/hosts",
    {
      deprecated: "StaticHostConfig",
    },
  ),
  kubespan: field(
    kubeSpan,
    "Encrypted mesh between all nodes of the cluster (KubeSpan)",
    {
      optional: true,
      example: { enabled: true, mtu: 1420 },
    },
  ),
  disableSearchDomain: {
    ...flag("Disables search domains"),
    deprecated: "ResolverConfig",
  },
});
