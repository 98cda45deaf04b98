/** Network interfaces of the main document as documents of their own, as nodes have them since v1.12. */

import { addressFamily } from "../../lib/ip.ts";
import type { Plain } from "../tree/node.ts";
import { document } from "./split_documents.ts";

type Values = { readonly [key: string]: Plain | undefined };

/** Keys of a bond with another name in its document. */
const bondKeys: Readonly<Record<string, string>> = {
  mode: "bondMode",
  arpIPTarget: "arpIpTargets",
  resendIgmp: "resendIGMP",
  tlbDynamicLb: "tlbLogicalLb",
  peerNotifyDelay: "peerNotifDelay",
};

/** Keys without an equal, with what to do. */
const missing: Readonly<Record<string, string>> = {
  cidr: "write it to addresses",
  dummy: "add a DummyLinkConfig document to a patch",
  ignore: "remove it: only configured links are changed",
  bridgePort: "name the link in the bridge instead",
  "bond.adActorSystem": "add it to the BondConfig document in a patch",
  "bond.primary": "add it to the BondConfig document in a patch",
  "dhcpOptions.duidv6": "add a DHCPv6Config document to a patch",
  "vip.equinixMetal": "remove it: the platform is no longer there",
  "vip.hcloud": "add an HCloudVIPConfig document to a patch",
};

/** Selectors in the order of the expression; `*` stands for the value. */
const selectors: Readonly<Record<string, string>> = {
  hardwareAddr: "glob(*, mac(link.hardware_addr))",
  permanentAddr: "glob(*, mac(link.permanent_addr))",
  busPath: "glob(*, link.bus_path)",
  driver: "glob(*, link.driver)",
  pciID: "glob(*, link.pciid)",
};

/** Names of interfaces that are chosen by their hardware, by their kind. */
const stems = { bond: "bond", bridge: "br", wireguard: "wg" } as const;

/** Converts interfaces. `report` gets keys without an equal, and what to do. */
export function toLinkDocuments(
  interfaces: Plain,
  report: (index: number, key: string, hint: string) => void,
): readonly Plain[] {
  const all = toList(interfaces);
  const used = new Set(all.map((one) => one.interface));
  const next = new Map<string, number>();
  return all.flatMap((one, index) => {
    for (const [path, hint] of Object.entries(missing)) {
      const [key = "", inner] = path.split(".");
      const found = inner === undefined ? one[key] : toValues(one[key])[inner];
      if (found ?? false) report(index, key, hint);
    }
    if (one.interface) return toDocuments(String(one.interface), one);
    const kind = (["bond", "bridge", "wireguard"] as const)
      .find((kind) => one[kind]);
    const stem = kind === undefined ? "ethSel" : stems[kind];
    let number = next.get(stem) ?? 0;
    while (used.has(`${stem}${number}`)) number++;
    next.set(stem, number + 1);
    return toDocuments(`${stem}${number}`, one);
  });
}

function toDocuments(name: string, device: Values): readonly Plain[] {
  const { bond, wireguard, bridge } = device;
  const link = toLink(device);
  const members = toList(toValues(bond).deviceSelectors)
    .map((selector, index) => ({ alias: `${name}-m${index}`, selector }));
  const aliases = members.map(({ alias }) => alias);
  const kinds = Object.entries({
    BondConfig: bond ? toBond(toValues(bond), aliases) : undefined,
    WireguardConfig: wireguard ? toValues(wireguard) : undefined,
    BridgeConfig: bridge ? toBridge(toValues(bridge)) : undefined,
  }).filter(([, keys]) => keys !== undefined);
  const isSet = Object.values(link).some((value) => value !== undefined);
  if (kinds.length === 0 && isSet) kinds.push(["LinkConfig", {}]);
  return [
    ...toAlias(name, toValues(device.deviceSelector)),
    ...members.flatMap(({ alias, selector }) => toAlias(alias, selector)),
    ...kinds.map(([kind, keys]) => document(kind, { name, ...keys, ...link })),
    ...toAddressing(name, device),
    ...toList(device.vlans).flatMap((vlan) => {
      const own = `${name}.${vlan.vlanId}`;
      const keys = { vlanID: vlan.vlanId, parent: name, ...toLink(vlan) };
      return [
        document("VLANConfig", { name: own, ...keys }),
        ...toAddressing(own, vlan),
      ];
    }),
  ];
}

function toBond(
  { interfaces, deviceSelectors: _, ...bond }: Values,
  aliases: readonly string[],
): Values {
  const keys = Object.entries(bond).filter(([key, value]) =>
    missing[`bond.${key}`] === undefined && (value || value === false)
  );
  return {
    links: [...interfaces as readonly string[] | undefined ?? [], ...aliases],
    ...Object.fromEntries(
      keys.map(([key, value]) => [bondKeys[key] ?? key, value]),
    ),
  };
}

function toBridge({ interfaces, stp, vlan }: Values): Values {
  const filtering = toValues(vlan).vlanFiltering;
  return { links: interfaces, stp, vlan: vlan ? { filtering } : undefined };
}

/** DHCP and the virtual IP of a link. */
function toAddressing(
  name: string,
  { dhcp, dhcpOptions, vip }: Values,
): readonly Plain[] {
  const { routeMetric, ipv4 = true, ipv6 = false } = toValues(dhcpOptions);
  const keys = { name, routeMetric: routeMetric || undefined };
  const { ip } = toValues(vip);
  return [
    ...dhcp && ipv4 ? [document("DHCPv4Config", keys)] : [],
    ...dhcp && ipv6 ? [document("DHCPv6Config", keys)] : [],
    ...ip
      ? [document("Layer2VIPConfig", { name: String(ip), link: name })]
      : [],
  ];
}

/** Addresses, routes and MTU. */
function toLink({ addresses, routes, mtu }: Values): Values {
  const own = (addresses as readonly string[] | undefined ?? [])
    .map((address) => ({ address: withLength(address) }));
  const ways = toList(routes).map(({ network, ...route }) => ({
    destination: network && !["0.0.0.0/0", "::/0"].includes(String(network))
      ? network
      : undefined,
    ...route,
  }));
  return {
    addresses: own.length > 0 ? own : undefined,
    routes: ways.length > 0 ? ways : undefined,
    mtu: mtu || undefined,
  };
}

function withLength(address: string): string {
  if (address.includes("/")) return address;
  return `${address}/${addressFamily(address) === 6 ? 128 : 32}`;
}

function toAlias(
  name: string,
  { physical, ...rest }: Values,
): readonly Plain[] {
  const parts = Object.entries(selectors).flatMap(([key, form]) =>
    rest[key] ? [form.replace("*", () => `"${rest[key]}"`)] : []
  );
  if (typeof physical === "boolean") {
    parts.push(`link.type ${physical ? "==" : "!="} 1`);
  }
  if (parts.length === 0) return [];
  const selector = { match: parts.join(" && ") };
  return [document("LinkAliasConfig", { name, selector })];
}

function toValues(value: Plain | undefined): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Values
    : {};
}

function toList(value: Plain | undefined): readonly Values[] {
  return Array.isArray(value) ? value.map(toValues) : [];
}
