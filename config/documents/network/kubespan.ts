import { isNetworkOrAddress } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { addressPort, openText, prefix, u32 } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

/** `KubeSpanConfig`. */
export const kubespan: DocumentKind = {
  kind: "KubeSpanConfig",
  summary: "KubeSpan: encrypted WireGuard mesh between the nodes",
  named: false,
  since: "1.13",
  fields: {
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
    mtu: field(u32, "MTU of the KubeSpan link, in bytes", {
      optional: true,
      initial: "1420",
      example: 1420,
    }),
    filters: field(
      struct({
        endpoints: field(
          list(openText),
          "Subnets of addresses to advertise as endpoints; ! excludes one",
          { example: ["0.0.0.0/0", "!192.168.0.0/16", "::/0"] },
        ),
        excludeAdvertisedNetworks: field(
          list(prefix),
          "Networks not advertised over KubeSpan",
          { example: ["192.168.1.0/24"] },
        ),
      }),
      "Filters for advertised endpoints and networks",
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

const leastMtu = 1280;

function* rules(document: Cursor): Iterable<Problem> {
  const mtu = document.get("mtu");
  if ((mtu.number() ?? leastMtu) < leastMtu) {
    yield mtu.error(
      `KubeSpan MTU ${mtu.text()} is too small`,
      `Write at least ${leastMtu}, or remove it`,
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
      "Addresses and ports advertised in addition to the node's own",
      { always: true, example: ["203.0.113.7:51820"] },
    ),
  },
  examples: [{
    value: {
      extraAnnouncedEndpoints: ["203.0.113.7:51820", "[2001:db8::7]:51820"],
    },
  }],
};
