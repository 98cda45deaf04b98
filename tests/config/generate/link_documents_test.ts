import assert from "node:assert/strict";
import { toLinkDocuments } from "../../../config/generate/link_documents.ts";
import { type Plain, toTree } from "../../../config/tree/node.ts";
import { writeTree } from "../../../config/tree/write.ts";

const interfaces: Plain = [
  {
    deviceSelector: { driver: "virtio*", physical: true },
    dhcp: true,
    dhcpOptions: { routeMetric: 9, ipv6: true, duidv6: "0001" },
    vlans: [{ vlanId: 7, addresses: ["10.7.0.2"], mtu: 1400 }],
  },
  {
    interface: "bond0",
    addresses: ["10.0.0.2/24", "fd00::2"],
    routes: [
      { network: "0.0.0.0/0", gateway: "10.0.0.1" },
      { network: "10.9.0.0/16", gateway: "10.0.0.9", metric: 5 },
    ],
    vip: { ip: "10.0.0.10" },
    bond: {
      mode: "802.3ad",
      interfaces: ["eth0"],
      deviceSelectors: [{ hardwareAddr: "00:1*" }],
      resendIgmp: 2,
      primary: "eth0",
    },
  },
  { bridge: { interfaces: ["eth1"], vlan: { vlanFiltering: true } }, cidr: "" },
];

const expected = `kind: LinkAliasConfig
name: ethSel0
selector:
    match: glob("virtio*", link.driver) && link.type == 1
---
kind: DHCPv4Config
name: ethSel0
routeMetric: 9
---
kind: DHCPv6Config
name: ethSel0
routeMetric: 9
---
kind: VLANConfig
name: ethSel0.7
vlanID: 7
parent: ethSel0
addresses:
    - address: 10.7.0.2/32
mtu: 1400
---
kind: LinkAliasConfig
name: bond0-m0
selector:
    match: glob("00:1*", mac(link.hardware_addr))
---
kind: BondConfig
name: bond0
links:
    - eth0
    - bond0-m0
bondMode: 802.3ad
resendIGMP: 2
addresses:
    - address: 10.0.0.2/24
    - address: fd00::2/128
routes:
    - gateway: 10.0.0.1
    - destination: 10.9.0.0/16
      gateway: 10.0.0.9
      metric: 5
---
kind: Layer2VIPConfig
name: 10.0.0.10
link: bond0
---
kind: BridgeConfig
name: br0
links:
    - eth1
vlan:
    filtering: true
`;

Deno.test("network interfaces become documents, and keys without an equal are reported", () => {
  const reported: string[] = [];
  const documents = toLinkDocuments(
    interfaces,
    (index, key, hint) => reported.push(`${index} ${key}: ${hint}`),
  );
  const texts = documents.map((one) => writeTree(toTree(one)));
  assert.equal(
    texts.join("---\n").replaceAll("apiVersion: v1alpha1\n", ""),
    expected,
  );
  assert.deepEqual(reported, [
    "0 dhcpOptions: add a DHCPv6Config document to a patch",
    "1 bond: add it to the BondConfig document in a patch",
  ]);
});
