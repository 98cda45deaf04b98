/** Network links with addresses and routes, except bonds and tunnels. */

import { linkFields, linkRules } from "./link_block.ts";
import { documentKind } from "../table.ts";

export const link = documentKind(linkRules)`
LinkConfig | named, since 1.12, group links | Configures an existing link
  = Static addresses | {"name": "enp0s3", "mtu": 9000, "addresses": [{"address": "10.0.0.2/24"},
    {"address": "fd00::2/64", "routePriority": 512}], "routes": [{"gateway": "10.0.0.1"},
    {"destination": "10.8.0.0/16", "gateway": "10.0.0.9", "source": "10.0.0.2", "metric": 100, "mtu": 1400,
    "table": "main"}], "multicast": true}
  = A link that is kept down | {"name": "enp0s4", "up": false}
  name | text, always | Name or alias of the link | "enp0s3"
  ...${linkFields}
`;

export const dummyLink = documentKind(linkRules)`
DummyLinkConfig | named, since 1.12, group links | A dummy link
  = {"name": "dummy0", "hardwareAddr": "02:00:00:00:00:01", "addresses": [{"address": "192.0.2.10/32"}]}
  name         | text, always | Name of the new link | "dummy0"
  hardwareAddr | hardwareAddress, replace | Hardware address; generated if absent | "02:00:00:00:00:01"
  ...${linkFields}
`;

export const vlan = documentKind(linkRules)`
VLANConfig | named, since 1.12, group links | A VLAN link
  = {"name": "enp0s3.34", "vlanID": 34, "vlanMode": "802.1q", "parent": "enp0s3",
    "addresses": [{"address": "192.168.34.2/24"}], "routes": [{"destination": "192.168.0.0/16",
    "gateway": "192.168.34.1"}]}
  name     | text, always | Name of the new link | "enp0s3.34"
  vlanID   | integer(1 4094), required | VLAN ID | 34
  vlanMode | choice(802.1q 802.1ad), optional, default 802.1q | VLAN protocol | "802.1q"
  parent   | text, required | Name or alias of the parent link | "enp0s3"
  ...${linkFields}
`;

export const bridge = documentKind(linkRules)`
BridgeConfig | named, since 1.12, group links | A bridge
  = {"name": "br0", "links": ["enp0s3", "enp0s4"], "stp": {"enabled": true}, "vlan": {"filtering": false},
    "addresses": [{"address": "10.0.0.2/24"}]}
  name         | text, always | Name of the bridge | "br0"
  hardwareAddr | hardwareAddress, replace | Hardware address of the bridge; default that of one of its ports
    = "02:00:00:00:00:02"
  links        | list(text) | Names or aliases of the links to add as ports | ["enp0s3", "enp0s4"]
  stp          | struct | Spanning Tree Protocol (STP) settings
    enabled    | boolean, optional | Whether to enable STP
  vlan         | struct | VLAN settings
    filtering  | boolean, optional | Whether to enable VLAN filtering
  ...${linkFields}
`;
