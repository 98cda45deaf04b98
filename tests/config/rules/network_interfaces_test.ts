import { interfaceRules } from "../../../config/rules/network_interfaces.ts";
import { type Row, testRules } from "./_rules.ts";

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
    [`error ${place}[0].deviceSelector: An interface selector is empty`],
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
      `error ${place}[0].bond.mode: "c" is not a valid value for mode`,
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
      `error ${place}[0].vip: Virtual IP "10.0.0.2" is configured on a worker`,
      `error ${place}[0].vlans[0].vip: Virtual IP "10.0.0.3" is configured on a worker`,
    ],
  ],
]);

/** Rules of the fields of interface `a`; expected paths begin at it. */
function testFields(subject: string, rows: readonly Row[], others = ""): void {
  testRules(
    subject,
    interfaceRules,
    rows.map(([name, fields, expected]) => [
      name,
      links(`[{interface: a, ${fields}}${others}]`),
      expected.map((line) =>
        line.replace(
          / (\S*):/,
          (_, path) => ` ${place}[0]${path === "" ? "" : `.${path}`}:`,
        )
      ),
    ]),
  );
}

testFields("interfaceRules of routes", [
  [
    "takes routes",
    "routes: [{network: 10.0.0.0/8}, {gateway: 10.0.0.1, source: 10.0.0.2}]",
    [],
  ],
  ["wants a network or a gateway", "routes: [{metric: 1}, ~]", [
    "error routes[0]: A route has neither a network nor a gateway",
    "error routes[1]: A route has neither a network nor a gateway",
  ]],
  ["wants networks in CIDR notation", "routes: [{network: 10.0.0.0}]", [
    'error routes[0].network: Network "10.0.0.0" is not in CIDR notation',
  ]],
  ["wants addresses", "routes: [{gateway: 10.0.0.1/8, source: node}]", [
    'error routes[0].gateway: "10.0.0.1/8" is not an IP address',
    'error routes[0].source: "node" is not an IP address',
  ]],
]);

testFields("interfaceRules of VLANs", [
  ["takes addresses", "vlans: [{vlanId: 5, addresses: [10.0.0.1/8]}]", []],
  [
    "refuses two ways to give addresses",
    "vlans: [{vlanId: 5, cidr: 10.0.0.1/8, addresses: [10.0.0.1/8]}]",
    ["error vlans[0].cidr: VLAN 5 has both cidr and addresses"],
  ],
  ["refuses other texts", "vlans: [{addresses: [node]}]", [
    'error vlans[0].addresses[0]: "node" is not an IP address',
  ]],
  ["refuses null", "vlans: [~]", ["error vlans[0]: A VLAN is empty"]],
]);

const key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

testFields("interfaceRules of WireGuard", [
  [
    "takes peers",
    `wireguard: {privateKey: ${key}, peers: [{publicKey: ${key}, endpoint: 'node:1', allowedIPs: [10.0.0.0/8]}]}`,
    [],
  ],
  ["takes no settings", "wireguard: ~", []],
  [
    "wants a private key and does not show it",
    "wireguard: {privateKey: QQ==}",
    ["error wireguard.privateKey: The private key is not 32 bytes in base64"],
  ],
  [
    "wants public keys",
    `wireguard: {privateKey: ${key}, peers: [{publicKey: QQ==}, ~]}`,
    [
      'error wireguard.peers[0].publicKey: Public key "QQ==" is not 32 bytes in base64',
      "error wireguard.peers[1]: A peer is empty",
    ],
  ],
  [
    "wants ports",
    `wireguard: {privateKey: ${key}, peers: [{publicKey: ${key}, endpoint: node}, {publicKey: ${key}, endpoint: '[a:b]:1'}]}`,
    [
      'error wireguard.peers[0].endpoint: Peer endpoint "node" has no port',
      'error wireguard.peers[1].endpoint: Peer endpoint "[a:b]:1" has no port',
    ],
  ],
  [
    "wants networks in CIDR notation",
    `wireguard: {privateKey: ${key}, peers: [{publicKey: ${key}, allowedIPs: [10.0.0.1]}]}`,
    [
      'error wireguard.peers[0].allowedIPs[0]: Allowed network "10.0.0.1" is not in CIDR notation',
    ],
  ],
]);

testFields("interfaceRules of addresses", [
  [
    "takes addresses",
    "addresses: [10.0.0.1/8, 'fd00::1'], vip: {ip: 10.0.0.2}",
    [],
  ],
  ["warns of cidr", "cidr: 10.0.0.1/8", [
    'warning cidr: Interface "a" has its address under cidr, which is deprecated',
  ]],
  ["refuses a shared network", "vip: {ip: 10.0.0.2/8}", [
    'error vip.ip: Virtual IP "10.0.0.2/8" is not an IP address',
  ]],
  ["wants a shared address", "vip: {}", [
    'error vip.ip: Virtual IP "" is not an IP address',
  ]],
]);

testFields("interfaceRules of a part of a bond", [
  ["take no addresses", "mtu: 1500, addresses: []", []],
  ["refuse addresses", "addresses: [10.0.0.1]", [
    'error : Interface "a" is part of a bond or bridge and has addresses',
  ]],
  ["refuse cidr", "cidr: 10.0.0.1", [
    'error : Interface "a" is part of a bond or bridge and has addresses',
    'warning cidr: Interface "a" has its address under cidr, which is deprecated',
  ]],
  ["refuse a shared address", "vip: {ip: 10.0.0.2}", [
    'error : Interface "a" is part of a bond or bridge and has addresses',
  ]],
], ", {interface: bond0, bond: {interfaces: [a]}}");

testFields("interfaceRules of VLAN addresses", [
  ["take one of both", "vlans: [{vlanId: 5, cidr: 10.0.0.1/8}]", []],
  [
    "refuse both",
    "vlans: [{vlanId: 5, cidr: 10.0.0.1/8, addresses: [10.0.0.1/8]}]",
    ["error vlans[0].cidr: VLAN 5 has both cidr and addresses"],
  ],
  [
    "refuse other texts",
    "vlans: [{vlanId: 5, addresses: [10.0.0.1/8, node, 10.0.0.1/33]}]",
    [
      'error vlans[0].addresses[1]: "node" is not an IP address',
      'error vlans[0].addresses[2]: "10.0.0.1/33" is not an IP address',
    ],
  ],
]);
