/** Network specs of a node, merged from all layers. */

import { domain } from "../../../talos.ts";
import type { NodeSettings } from "../../state/node_settings.ts";
import { type NodeResource, resource } from "./content.ts";

type ConfigLayer = "default" | "operator" | "configuration";

interface WantedNetwork extends
  Pick<
    NodeSettings,
    "addresses" | "gateway" | "nameServers" | "searchDomains" | "timeServers"
  > {
  /** True if it has the host name. */
  readonly isNamed: boolean;
}

/**
 * The merged specs behind the statuses.
 *
 * @param statuses Statuses of links, addresses, routes, host name, name servers and time servers.
 */
export function networkSpecs(
  statuses: readonly NodeResource[],
  settings: WantedNetwork,
): readonly NodeResource[] {
  return statuses.flatMap(({ type, id, spec }) => {
    const kind = type.replace("Statuses.net", "");
    // Statuses are plain objects.
    const own = specs[kind]?.(spec as StatusSpec, settings, id);
    return own === undefined ? [] : [mergedSpec(kind, id, own)];
  });
}

/** Makes a merged spec as the merge controller of its kind writes it. `kind`: `Link`. */
export function mergedSpec(
  kind: string,
  id: string,
  spec: object,
): NodeResource {
  const owner = `${kind}MergeControllers.net.${domain}`;
  return resource(`${kind}Specs.net`, id, owner, spec);
}

type StatusSpec = Readonly<Record<string, unknown>>;

/** Makes the spec of a status; `undefined` for statuses set by the kernel itself. */
type SpecOf = (
  status: StatusSpec,
  settings: WantedNetwork,
  id: string,
) => object | undefined;

const specs: Readonly<Record<string, SpecOf>> = {
  Link: (_status, { addresses }, name) => ({
    name,
    logical: false,
    up: true,
    mtu: 0,
    kind: "",
    type: "netrom",
    layer: chooseLayer(name !== "lo" && addresses.length > 0),
  }),
  Address: ({ address, linkName, family, scope, flags }, { addresses }) => ({
    address,
    linkName,
    family,
    scope,
    flags,
    layer: linkName === "lo"
      ? "default"
      : leasedLayer(addresses.every((one) => !isSame(one, address))),
  }),
  Route({ outLinkIndex: _index, ...status }, { gateway }) {
    if (status["protocol"] === "kernel") return undefined;
    return { ...status, layer: leasedLayer(gateway === undefined) };
  },
  Resolver: (
    { dnsServers, searchDomains },
    { nameServers, searchDomains: given },
  ) => ({
    dnsServers,
    layer: chooseLayer(nameServers.length > 0 || given.length > 0),
    ...(Array.isArray(searchDomains) && searchDomains.length > 0
      ? { searchDomains }
      : {}),
  }),
  TimeServer: ({ timeServers }, { timeServers: given }) => ({
    timeServers,
    layer: chooseLayer(given.length > 0),
  }),
  Hostname: (status, { isNamed }) => ({
    ...status,
    layer: chooseLayer(isNamed),
  }),
};

function chooseLayer(isConfigured: boolean): ConfigLayer {
  return isConfigured ? "configuration" : "default";
}

/** Layer of link settings: DHCP unless configured. */
function leasedLayer(isLeased: boolean): ConfigLayer {
  return isLeased ? "operator" : "configuration";
}

/** True if a configured address, with or without a prefix length, equals the address of a link. */
function isSame(configured: string, address: unknown): boolean {
  return configured.split("/")[0] === String(address).split("/")[0];
}
