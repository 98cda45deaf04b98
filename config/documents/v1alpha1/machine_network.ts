/** `machine.network`. */

import { openText, u32 } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";
import { networkInterface } from "./network_interface.ts";

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
    "Networks that peers are not told about",
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
