/** The mesh between nodes. */

import { isNetworkOrAddress } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { addressPort, openText, prefix, u32 } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

/** `KubeSpanConfig`. */
export const kubespan: DocumentKind = {
  kind: "KubeSpanConfig",
  summary: "Encrypted mesh between the nodes of the cluster",
  named: false,
  since: "1.13",
  fields: {
    enabled: flag("Traffic between nodes goes through the mesh"),
    advertiseKubernetesNetworks: flag(
      "Traffic of pods goes through the mesh too, without the pod network",
    ),
    allowDownPeerBypass: flag(
      "Traffic to a peer that is down goes around the mesh, in plain",
    ),
    harvestExtraEndpoints: flag(
      "Endpoints that peers are seen at are told to all members",
    ),
    mtu: field(u32, "Size in bytes of the largest packet", {
      optional: true,
      initial: "1420",
      example: 1420,
    }),
    filters: field(
      struct({
        endpoints: field(
          list(openText),
          "Own addresses that peers are told; a leading ! excludes",
          { example: ["0.0.0.0/0", "!192.168.0.0/16", "::/0"] },
        ),
        excludeAdvertisedNetworks: field(
          list(prefix),
          "Networks that peers do not reach through the mesh",
          { example: ["192.168.1.0/24"] },
        ),
      }),
      "What peers are told of this node",
      { optional: true },
    ),
  },
  examples: [{
    value: {
      enabled: true,
      advertiseKubernetesNetworks: false,
      allowDownPeerBypass: false,
      mtu: 1420,
      filters: {
        endpoints: ["0.0.0.0/0", "!192.168.0.0/16", "::/0"],
        excludeAdvertisedNetworks: ["192.168.1.0/24"],
      },
    },
  }],
  rules,
};

/** Smallest packet size IPv6 allows. */
const leastMtu = 1280;

function* rules(document: Cursor): Iterable<Problem> {
  const mtu = document.get("mtu");
  if ((mtu.number() ?? leastMtu) < leastMtu) {
    yield mtu.error(
      `KubeSpan MTU ${mtu.text()} is too small`,
      `Write at least ${leastMtu}, or leave it out`,
    );
  }
  for (const item of document.get("filters", "endpoints").items()) {
    const text = item.text() ?? "";
    if (isNetworkOrAddress(text.replace(/^!/, ""))) continue;
    yield item.error(
      `Endpoint filter "${text}" is not valid`,
      "Write a network such as 10.0.0.0/8 or an IP address, with ! in front to exclude it",
    );
  }
}

/** `KubeSpanEndpointsConfig`. */
export const kubespanEndpoints: DocumentKind = {
  kind: "KubeSpanEndpointsConfig",
  summary: "Additional KubeSpan endpoints of the node",
  named: false,
  fields: {
    extraAnnouncedEndpoints: field(
      list(addressPort),
      "Addresses and ports announced in addition to the node's own",
      { always: true, example: ["203.0.113.7:51820"] },
    ),
  },
  examples: [{
    value: {
      extraAnnouncedEndpoints: ["203.0.113.7:51820", "[2001:db8::7]:51820"],
    },
  }],
};
