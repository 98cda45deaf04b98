import { isNetworkOrAddress } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const kubespan = documentKind(rules)`
KubeSpanConfig | since 1.13 | KubeSpan: encrypted WireGuard mesh between the nodes
  = {"enabled": true, "advertiseKubernetesNetworks": false, "allowDownPeerBypass": false, "mtu": 1420,
    "filters": {"endpoints": ["0.0.0.0/0", "!192.168.0.0/16", "::/0"],
    "excludeAdvertisedNetworks": ["192.168.1.0/24"]}}
  enabled                     | boolean, optional, default false | Enables KubeSpan
  advertiseKubernetesNetworks | boolean, optional, default false | Routes pod traffic over KubeSpan instead of the CNI
  allowDownPeerBypass         | boolean, optional, default false | Sends traffic unencrypted while a peer is down, instead of dropping it
  harvestExtraEndpoints       | boolean, optional, default false | Publishes the endpoints at which peers are seen
  mtu                         | u32, optional, default 1420 | MTU of the KubeSpan link, in bytes | 1420
  filters                     | struct, optional | Filters for advertised endpoints and networks
    endpoints                 | list(text) | Subnets of addresses to advertise as endpoints; ! excludes one
      = ["0.0.0.0/0", "!192.168.0.0/16", "::/0"]
    excludeAdvertisedNetworks | list(prefix) | Networks not advertised over KubeSpan | ["192.168.1.0/24"]
`;

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

export const kubespanEndpoints = documentKind()`
KubeSpanEndpointsConfig |  | Additional KubeSpan endpoints of the node
  = {"extraAnnouncedEndpoints": ["203.0.113.7:51820", "[2001:db8::7]:51820"]}
  extraAnnouncedEndpoints | list(addressPort), always | Addresses and ports advertised in addition to the node's own
    = ["203.0.113.7:51820"]
`;
