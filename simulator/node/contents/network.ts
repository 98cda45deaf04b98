/** Network of a node: one wired link, one address, one gateway. */

import { firstAddress } from "../../../lib/ip.ts";
import type { SimulatedNode } from "../../state/node.ts";
import { type NodeSettings, readSettings } from "../../state/node_settings.ts";
import { type NodeResource, resource } from "./content.ts";
import { mergedSpec, networkSpecs } from "./network_specs.ts";

/** Links, addresses, routes, names and time servers: statuses, and their specs. */
export function networkContents(node: SimulatedNode): readonly NodeResource[] {
  const statuses = statusContents(node);
  // Initial configurations contain a host name.
  const wanted = { ...readSettings(node), isNamed: node.disk.configured };
  return [...statuses, ...networkSpecs(statuses, wanted)];
}

function statusContents(node: SimulatedNode): readonly NodeResource[] {
  const { hostname, address } = node.identity;
  const settings = readSettings(node);
  const owner = (name: string) => `network.${name}Controller`;
  const prefixes = listPrefixes(address, settings.addresses);
  const sorted = { addresses: nodeAddresses(node), sortAlgorithm: "v1" };
  return [
    resource("HostnameStatuses.net", "hostname", owner("HostnameSpec"), {
      hostname,
      domainname: settings.domainName,
    }),
    ...[
      "current",
      "default",
      "accumulative",
      "routed",
      "current-no-k8s",
      "accumulative-no-k8s",
      "routed-no-k8s",
    ]
      .map((
        id,
      ) => (resource(
        "NodeAddresses.net",
        id,
        owner("NodeAddress"),
        id === "default"
          ? { ...sorted, addresses: sorted.addresses.slice(0, 1) }
          : sorted,
      ))),
    resource("LinkStatuses.net", "lo", owner("LinkStatus"), loopback),
    resource("LinkStatuses.net", "eth0", owner("LinkStatus"), wiredLink(node)),
    resource(
      "AddressStatuses.net",
      "lo/127.0.0.1/8",
      owner("AddressStatus"),
      addressSpec("127.0.0.1/8", "lo", 1, "host"),
    ),
    ...prefixes.map((prefix) =>
      resource(
        "AddressStatuses.net",
        `eth0/${prefix}`,
        owner("AddressStatus"),
        addressSpec(prefix, "eth0", 8, "global"),
      )
    ),
    ...routes(prefixes[0] ?? address, settings).map((spec) =>
      resource("RouteStatuses.net", routeId(spec), owner("RouteStatus"), spec)
    ),
    resource(
      "ResolverStatuses.net",
      "resolvers",
      owner("ResolverSpec"),
      listResolvers(settings),
    ),
    resource(
      "TimeServerStatuses.net",
      "timeservers",
      owner("TimeServerSpec"),
      {
        timeServers: settings.timeServers.length === 0
          ? ["time.cloudflare.com"]
          : settings.timeServers,
        useNTS: false,
      },
    ),
    resource("HostDNSConfigs.net", "config", owner("HostDNSConfig"), {
      ...hostDns,
      resolveMemberNames: settings.resolvesMembers,
    }),
    resource("NetworkStatuses.net", "status", owner("Status"), allReady),
    ...(settings.dhcp
      ? [mergedSpec("Operator", "dhcp4/eth0", addressOperator)]
      : []),
    resource("HardwareAddresses.net", "first", owner("HardwareAddr"), {
      name: "eth0",
      hardwareAddr: hardwareAddress(node),
    }),
  ];
}

/** MAC address of the node's wired link. */
export function hardwareAddress({ identity }: SimulatedNode): string {
  const digits = identity.uuid.replaceAll("-", "").slice(0, 6);
  return `52:54:00:${digits.match(/../g)?.join(":")}`;
}

/** Operator that assigns the address if the configuration has none. */
const addressOperator = {
  operator: "dhcp4",
  linkName: "eth0",
  requireUp: true,
  dhcp4: { routeMetric: 1024 },
  layer: "default",
};

/** Addresses of the wired link, the node address first. */
/** Addresses of a node with prefix lengths, sorted as on nodes: IPv4 first, then by number. */
export function nodeAddresses(node: SimulatedNode): readonly string[] {
  const { address } = node.identity;
  return listPrefixes(address, readSettings(node).addresses)
    .map((prefix) => ({ prefix, key: sortKey(prefix) }))
    .sort((a, b) => a.key < b.key ? -1 : 1)
    .map(({ prefix }) => prefix);
}

/** Sort key of an address: padded numbers for IPv4; IPv6 unchanged. */
function sortKey(prefix: string): string {
  const [address = ""] = prefix.split("/");
  if (isV6(address)) return `6 ${address}`;
  return `4 ${address.split(".").map((part) => part.padStart(3, "0"))}`;
}

function listPrefixes(
  address: string,
  configured: readonly string[],
): readonly string[] {
  const own = configured.find((one) => one.split("/")[0] === address);
  const length = isV6(address) ? 64 : 24;
  return [
    withLength(own ?? `${address}/${length}`),
    ...configured.filter((one) => one !== own).map(withLength),
  ];
}

/** Adds the host prefix length to an address without one. */
function withLength(address: string): string {
  if (address.includes("/")) return address;
  return `${address}/${isV6(address) ? 128 : 32}`;
}

const defaultNameServers = ["1.1.1.1", "8.8.8.8"];

/** Configured name servers replace the defaults of their family; the domain of the host name comes last. */
function listResolvers(
  { nameServers, searchDomains, searchesOwnDomain, domainName }: NodeSettings,
) {
  const own = searchesOwnDomain && domainName !== "" ? [domainName] : [];
  return {
    dnsServers: nameServers.every(isV6)
      ? [...nameServers, ...defaultNameServers]
      : nameServers,
    searchDomains: [...searchDomains, ...own],
  };
}

const allReady = {
  addressReady: true,
  connectivityReady: true,
  hostnameReady: true,
  etcFilesReady: true,
};
const hostDns = {
  enabled: true,
  listenAddresses: ["127.0.0.53:53", "169.254.116.108:53"],
  serviceHostDNSAddress: "169.254.116.108",
};

const loopback = {
  index: 1,
  type: "loopback",
  linkIndex: 0,
  flags: "UP,LOOPBACK,RUNNING,LOWER_UP",
  hardwareAddr: "00:00:00:00:00:00",
  permanentAddr: "",
  broadcastAddr: "00:00:00:00:00:00",
  mtu: 65536,
  queueDisc: "noqueue",
  operationalState: "unknown",
  kind: "",
  slaveKind: "",
  linkState: true,
  port: "Other",
  duplex: "Unknown",
};

function wiredLink(node: SimulatedNode) {
  return {
    ...loopback,
    alias: "net0",
    altNames: ["enp0s2"],
    index: 8,
    type: "ether",
    flags: "UP,BROADCAST,RUNNING,MULTICAST,LOWER_UP",
    hardwareAddr: hardwareAddress(node),
    permanentAddr: hardwareAddress(node),
    broadcastAddr: "ff:ff:ff:ff:ff:ff",
    mtu: 1500,
    queueDisc: "pfifo_fast",
    operationalState: "up",
    busPath: "0000:00:02.0",
    pciID: "1AF4:1000",
    driver: "virtio_net",
    driverVersion: "1.0.0",
    vendor: "Red Hat, Inc.",
    product: "Virtio network device",
    speedMbit: 4294967295,
  };
}

function addressSpec(
  address: string,
  linkName: string,
  linkIndex: number,
  scope: string,
) {
  return {
    address,
    local: address.split("/")[0],
    linkIndex,
    linkName,
    family: isV6(address) ? "inet6" : "inet4",
    scope,
    flags: "permanent",
    priority: 0,
  };
}

function routes(
  prefix: string,
  { gateway: configured, dhcp }: Pick<NodeSettings, "gateway" | "dhcp">,
) {
  const [address = "", length = ""] = prefix.split("/");
  const network = firstAddress({
    address,
    bits: Number(length),
    family: isV6(address) ? 6 : 4,
  });
  const first = network.replace(/(?<=\.)\d+$|$/, (last) => String(+last + 1));
  const route = (
    dst: string,
    gateway: string,
    { scope, protocol }: { readonly scope: string; readonly protocol: string },
  ) => ({
    family: isV6(address) ? "inet6" : "inet4",
    dst,
    src: address,
    gateway,
    outLinkIndex: 8,
    outLinkName: "eth0",
    table: "main",
    priority: 1024,
    scope,
    type: "unicast",
    flags: "",
    protocol,
  });
  const protocol = dhcp ? "boot" : "static";
  const gateway = configured ?? (dhcp ? first : undefined);
  return [
    ...gateway === undefined
      ? []
      : [route("", gateway, { scope: "global", protocol })],
    route(`${network}/${length}`, "", { scope: "link", protocol: "kernel" }),
  ];
}

/** ID of a route in the main table; only that of IPv6 includes the link. */
function routeId(
  { family, gateway, dst, priority, outLinkName }: Readonly<
    Record<"family" | "gateway" | "dst" | "outLinkName", string> & {
      priority: number;
    }
  >,
): string {
  const link = family === "inet6" ? [outLinkName] : [];
  return [...link, family, gateway, dst, priority].join("/");
}

function isV6(address: string): boolean {
  return address.includes(":");
}
