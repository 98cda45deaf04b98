/** Network interfaces of a `talconfig.yaml` as documents, as talhelper writes them since v1.12. */

import type { Plain } from "../../../config/tree/node.ts";
import { addressFamily } from "../../../lib/ip.ts";
import type { SiteSettings as Values } from "../make_site.ts";

/** Keys of a bond with the same name in its document, and those with another. */
const bondKeys: Readonly<Record<string, string>> = {
  mode: "bondMode",
  arpIPTarget: "arpIpTargets",
  resendIgmp: "resendIGMP",
  tlbDynamicLb: "tlbLogicalLb",
  peerNotifyDelay: "peerNotifDelay",
};
const bondLinks = ["interfaces", "deviceSelectors"];

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

/** Converts interfaces. `report` gets keys without an equal, and what to do. */
export function toLinkDocuments(
  interfaces: readonly Values[],
  report: (index: number, key: string, hint: string) => void,
): readonly Values[] {
  const used = new Set(interfaces.map((one) => one.interface));
  const next: Record<string, number> = {};
  return interfaces.flatMap((one, index) => {
    for (const [path, hint] of Object.entries(missing)) {
      const [key = "", inner] = path.split(".");
      const found = inner === undefined ? one[key] : values(one[key])[inner];
      if (found !== undefined && found !== null && found !== false) {
        report(index, key, hint);
      }
    }
    if (typeof one.interface === "string" && one.interface !== "") {
      return toDocuments(one.interface, one);
    }
    const stem = one.bond
      ? "bond"
      : one.bridge
      ? "br"
      : one.wireguard
      ? "wg"
      : "ethSel";
    let name;
    do {
      name = `${stem}${next[stem] = (next[stem] ?? -1) + 1}`;
    } while (used.has(name));
    return toDocuments(name, one);
  });
}

function toDocuments(name: string, device: Values): readonly Values[] {
  const { bond, wireguard, bridge } = device;
  const link = linkKeys(device);
  const isPlain = !bond && !wireguard && !bridge;
  return [
    ...toAlias(name, device.deviceSelector),
    ...bond ? bondDocuments(name, values(bond), link) : [],
    ...wireguard
      ? [document("WireguardConfig", name, {
        ...values(wireguard),
        ...link,
      })]
      : [],
    ...bridge
      ? [document("BridgeConfig", name, bridgeKeys(values(bridge), link))]
      : [],
    ...isPlain && Object.keys(link).length > 0
      ? [document("LinkConfig", name, link)]
      : [],
    ...addressing(name, device),
    ...list(device.vlans).flatMap((vlan) => {
      const own = `${name}.${vlan.vlanId}`;
      const keys = { vlanID: vlan.vlanId, parent: name, ...linkKeys(vlan) };
      return [document("VLANConfig", own, keys), ...addressing(own, vlan)];
    }),
  ];
}

function bondDocuments(name: string, bond: Values, link: Values) {
  const members = list(bond.deviceSelectors);
  const aliases = members.map((_, index) => `${name}-m${index}`);
  const keys = Object.entries(bond).flatMap(([key, value]) =>
    bondLinks.includes(key) || missing[`bond.${key}`] ||
      !value && value !== false
      ? []
      : [[bondKeys[key] ?? key, value] as const]
  );
  return [
    ...members.flatMap((one, index) => toAlias(aliases[index] ?? "", one)),
    document("BondConfig", name, {
      links: [
        ...(bond.interfaces as readonly string[] | undefined ?? []),
        ...aliases,
      ],
      ...Object.fromEntries(keys),
      ...link,
    }),
  ];
}

function bridgeKeys({ interfaces, stp, vlan }: Values, link: Values): Values {
  return {
    links: interfaces,
    stp,
    ...vlan ? { vlan: { filtering: values(vlan).vlanFiltering } } : {},
    ...link,
  };
}

/** DHCP and the virtual IP of a link. */
function addressing(
  name: string,
  { dhcp, dhcpOptions, vip }: Values,
): readonly Values[] {
  const { routeMetric, ipv4 = true, ipv6 = false } = values(dhcpOptions);
  const metric = routeMetric ? { routeMetric } : {};
  const { ip } = values(vip);
  return [
    ...dhcp && ipv4 ? [document("DHCPv4Config", name, metric)] : [],
    ...dhcp && ipv6 ? [document("DHCPv6Config", name, metric)] : [],
    ...ip ? [document("Layer2VIPConfig", String(ip), { link: name })] : [],
  ];
}

/** Addresses, routes and MTU. */
function linkKeys({ addresses, routes, mtu }: Values): Values {
  const own = (addresses as readonly string[] | undefined ?? []).map((
    address,
  ) => ({ address: withLength(address) }));
  const ways = list(routes).map(({ network, ...route }) => ({
    ...network && !["0.0.0.0/0", "::/0"].includes(String(network))
      ? { destination: network }
      : {},
    ...route,
  }));
  return {
    ...own.length > 0 && { addresses: own },
    ...ways.length > 0 && { routes: ways },
    ...mtu ? { mtu } : {},
  };
}

function withLength(address: string): string {
  if (address.includes("/")) return address;
  return `${address}/${addressFamily(address) === 6 ? 128 : 32}`;
}

function toAlias(name: string, selector: Plain | undefined): readonly Values[] {
  const { physical, ...rest } = values(selector);
  const parts = Object.entries(selectors).flatMap(([key, form]) =>
    rest[key] ? [form.replace("*", () => `"${rest[key]}"`)] : []
  );
  if (typeof physical === "boolean") {
    parts.push(`link.type ${physical ? "==" : "!="} 1`);
  }
  if (parts.length === 0) return [];
  const match = parts.join(" && ");
  return [document("LinkAliasConfig", name, { selector: { match } })];
}

function document(kind: string, name: string, keys: Values): Values {
  return { apiVersion: "v1alpha1", kind, name, ...keys };
}

function values(value: Plain | undefined): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Values
    : {};
}

function list(value: Plain | undefined): readonly Values[] {
  return Array.isArray(value) ? value.map(values) : [];
}
