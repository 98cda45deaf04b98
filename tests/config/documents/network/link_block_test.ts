import {
  bridge,
  dummyLink,
  link,
  vlan,
} from "../../../../config/documents/network/links.ts";
import { testRules } from "../_rules.ts";

for (const kind of [link, dummyLink, bridge, vlan]) {
  testRules(kind, [
    {
      title: "addresses and routes may name any host and network",
      value: {
        addresses: [{ address: "10.0.0.2/24" }, { address: "fd00::2/64" }],
        routes: [
          { gateway: "10.0.0.1" },
          { destination: "10.8.0.0/16", source: "10.0.0.2" },
          { destination: "fd00::/8", gateway: "fe80::1%enp0s3" },
          { gateway: "", source: null },
        ],
      },
      problems: [],
    },
    {
      title: "an address belongs to a host",
      value: { addresses: [{ address: "10.0.0.2/24" }, { address: "::/64" }] },
      problems: ['addresses[1].address: Address "::/64" is not a host address'],
    },
    {
      title: "a default route has no destination",
      value: { routes: [{ destination: "0.0.0.0/0", gateway: "10.0.0.1" }] },
      problems: [
        'routes[0].destination: Destination "0.0.0.0/0" is not a network',
      ],
    },
    {
      title: "gateways and sources belong to hosts",
      value: { routes: [{ gateway: "0.0.0.0", source: "::" }] },
      problems: [
        'routes[0].gateway: Gateway "0.0.0.0" is not a host address',
        'routes[0].source: Source "::" is not a host address',
      ],
    },
  ]);
}
