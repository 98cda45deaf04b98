import { interfaceRules } from "../../../config/rules/network_interfaces.ts";
import { testRules } from "./_rules.ts";

function links(list: string, type = "controlplane"): string {
  return `machine: {type: ${type}, network: {interfaces: ${list}}}`;
}

const place = "machine.network.interfaces";

testRules("interfaceRules", interfaceRules, [
  ["takes a name", links("[{interface: eth0, dhcp: true}]"), []],
  ["takes a selector", links("[{deviceSelector: {physical: false}}]"), []],
  ["refuses null", links("[~]"), [`error ${place}[0]: An interface is empty`]],
  ["wants a name or a selector", links("[{interface: ''}]"), [
    `error ${place}[0]: An interface has neither a name nor a selector`,
  ]],
  [
    "refuses a name and a selector",
    links("[{interface: eth0, deviceSelector: {driver: a}}]"),
    [
      `error ${place}[0].deviceSelector: Interface "eth0" has both a name and a selector`,
    ],
  ],
  [
    "refuses a selector that selects nothing",
    links("[{deviceSelector: {driver: ''}}]"),
    [`error ${place}[0].deviceSelector: A selector of interfaces is empty`],
  ],
  [
    "does not look into ignored interfaces",
    links("[{ignore: true, cidr: a, bond: {mode: a}, routes: [{}]}]"),
    [],
  ],
  [
    "looks into everything else",
    links(
      "[{interface: a, cidr: b, bond: {mode: c}, wireguard: {}, vlans: [{cidr: d}], routes: [{}]}]",
    ),
    [
      `error ${place}[0].bond.mode: "c" is no value of mode`,
      `error ${place}[0].wireguard.privateKey: The private key is not 32 bytes in base64`,
      `error ${place}[0].vlans[0].cidr: "d" is not an IP address`,
      `error ${place}[0].cidr: "b" is not an IP address`,
      `warning ${place}[0].cidr: Interface "a" has its address under cidr, which is deprecated`,
      `error ${place}[0].routes[0]: A route has neither a network nor a gateway`,
    ],
  ],
  [
    "refuses a bond that is a bridge",
    links("[{interface: a, bond: {}, bridge: {}}]"),
    [`error ${place}[0]: Interface "a" is both a bond and a bridge`],
  ],
  [
    "refuses two ways to name parts",
    links("[{interface: a, bond: {interfaces: [b], deviceSelectors: [{}]}}]"),
    [
      `error ${place}[0].bond: Bond "a" has both interfaces and deviceSelectors`,
    ],
  ],
  [
    "refuses a part of two",
    links(
      "[{interface: a, bond: {interfaces: [c]}}, {interface: b, bridge: {interfaces: [c]}}]",
    ),
    [
      `error ${place}[1].bridge.interfaces[0]: Interface "c" is part of both "a" and "b"`,
    ],
  ],
  [
    "takes a part named twice by one",
    links("[{interface: a, bond: {interfaces: [c, c]}}]"),
    [],
  ],
  [
    "refuses addresses of parts",
    links(
      "[{interface: a, bond: {interfaces: [c]}}, {interface: c, dhcp: true}]",
    ),
    [
      `error ${place}[1]: Interface "c" is part of a bond or bridge and has addresses`,
    ],
  ],
  [
    "takes shared addresses on control planes",
    links("[{interface: a, vip: {ip: 10.0.0.2}}]"),
    [],
  ],
  [
    "refuses shared addresses on workers",
    links(
      "[{interface: a, ignore: true, vip: {ip: 10.0.0.2}, vlans: [{vip: {ip: 10.0.0.3}}]}]",
      "worker",
    ),
    [
      `error ${place}[0].vip: Shared address "10.0.0.2" is on a worker`,
      `error ${place}[0].vlans[0].vip: Shared address "10.0.0.3" is on a worker`,
    ],
  ],
]);
