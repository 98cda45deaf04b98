/** `machine.network`. */

import { openText, u32 } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";
import { flag } from "./flag.ts";
import { networkInterface } from "./network_interface.ts";

const hostEntry: StructShape = struct({
  ip: { shape: openText, always: true, summary: "Address" },
  aliases: { shape: list(openText), always: true, summary: "Its names" },
});

const filters: StructShape = struct({
  endpoints: {
    shape: list(openText),
    summary: "Networks whose addresses are offered; a leading ! excludes",
    examples: [{ value: ["0.0.0.0/0", "!192.0.2.0/24", "::/0"] }],
  },
  excludeAdvertisedNetworks: {
    shape: list(openText),
    since: "1.12",
    summary: "Networks that peers are not told about",
    examples: [{ value: ["192.0.2.0/24", "2001:db8::/32"] }],
  },
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
  mtu: {
    shape: u32,
    optional: true,
    summary: "Largest packet inside the mesh, in bytes, at least 1280",
    initial: "1420",
    examples: [{ value: 1380 }],
  },
  filters: {
    shape: filters,
    optional: true,
    summary: "Which addresses and networks the node offers",
    examples: [{
      value: {
        endpoints: ["0.0.0.0/0", "::/0"],
        excludeAdvertisedNetworks: ["192.0.2.0/24"],
      },
    }],
  },
});

/** The node's network. */
export const machineNetwork: StructShape = struct({
  hostname: {
    shape: openText,
    summary: "Name of the node",
    deprecated: "HostnameConfig",
  },
  interfaces: {
    shape: list(networkInterface),
    merge: ["interface", "deviceSelector"],
    summary: "Interfaces, by name or by what they are",
    deprecated: "LinkConfig",
  },
  nameservers: {
    shape: list(openText),
    summary: "DNS servers",
    deprecated: "ResolverConfig",
  },
  searchDomains: {
    shape: list(openText),
    since: "1.9",
    summary: "Domains tried for short names",
    deprecated: "ResolverConfig",
  },
  extraHostEntries: {
    shape: list(hostEntry),
    summary: "Names with fixed addresses",
    deprecated: "StaticHostConfig",
  },
  kubespan: {
    shape: kubeSpan,
    optional: true,
    summary: "Encrypted mesh between all nodes of the cluster",
    examples: [{ value: { enabled: true, mtu: 1420 } }],
  },
  disableSearchDomain: {
    ...flag("No domain is tried for short names"),
    deprecated: "ResolverConfig",
  },
});
