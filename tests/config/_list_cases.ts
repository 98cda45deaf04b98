/** Effects of lists in patches; the same as with a node's own tools, unless `own` gives a reason. */

import { grown, kind, type Row, toCases, unchanged } from "./_patch_case.ts";

const rule = (entries: string) =>
  kind("NetworkRuleConfig", `name: r, ${entries}`);

const lists: readonly Row[] = [
  [
    "lists are appended to, with what already exists",
    "machine: {certSANs: [a, b]}",
    "machine: {certSANs: [b, c]}",
    "machine: {certSANs: [a, b, b, c]}",
    grown("machine.certSANs", 2),
  ],
  [
    "an empty list changes nothing",
    "machine: {certSANs: [a]}",
    "machine: {certSANs: []}",
    "machine: {certSANs: [a]}",
    unchanged,
  ],
  [
    "a list that was not there is set without a note",
    "machine: {type: worker}",
    "machine: {certSANs: [a, b]}",
    "machine: {type: worker, certSANs: [a, b]}",
  ],
  [
    "elements that are null are left out",
    "machine: {certSANs: [a]}",
    "machine: {certSANs: [~, b]}",
    "machine: {certSANs: [a, b]}",
    grown("machine.certSANs"),
  ],
  [
    "lists of mappings are appended to",
    "machine: {files: [{path: /a, op: create}]}",
    "machine: {files: [{path: /a, op: append}]}",
    "machine: {files: [{path: /a, op: create}, {path: /a, op: append}]}",
    grown("machine.files"),
  ],
  [
    "lists of documents are appended to",
    kind("ResolverConfig", "nameservers: [{address: 10.0.0.1}]"),
    kind("ResolverConfig", "nameservers: [{address: 10.0.0.2}]"),
    kind(
      "ResolverConfig",
      "nameservers: [{address: 10.0.0.1}, {address: 10.0.0.2}]",
    ),
    grown("nameservers in ResolverConfig"),
  ],
  [
    "podSubnets are replaced",
    "cluster: {network: {podSubnets: [10.0.0.0/16, fd00::/64]}}",
    "cluster: {network: {podSubnets: [10.1.0.0/16]}}",
    "cluster: {network: {podSubnets: [10.1.0.0/16]}}",
  ],
  [
    "podSubnets are replaced by none",
    "cluster: {network: {podSubnets: [10.0.0.0/16]}}",
    "cluster: {network: {podSubnets: []}}",
    "cluster: {network: {podSubnets: []}}",
  ],
  [
    "podSubnets that are null change nothing",
    "cluster: {network: {podSubnets: [10.0.0.0/16]}}",
    "cluster: {network: {podSubnets: ~}}",
    "cluster: {network: {podSubnets: [10.0.0.0/16]}}",
    unchanged,
  ],
  [
    "serviceSubnets are replaced",
    "cluster: {network: {serviceSubnets: [10.0.0.0/16]}}",
    "cluster: {network: {serviceSubnets: [10.1.0.0/16, fd00::/112]}}",
    "cluster: {network: {serviceSubnets: [10.1.0.0/16, fd00::/112]}}",
  ],
  [
    "ports of a rule are replaced",
    rule("portSelector: {ports: [80, 100-200], protocol: tcp}"),
    rule("portSelector: {ports: [443]}"),
    rule("portSelector: {ports: [443], protocol: tcp}"),
  ],
  [
    "ingress of a rule is replaced",
    rule(
      "portSelector: {protocol: tcp}, ingress: [{subnet: 10.0.0.0/8}, {subnet: fd00::/8}]",
    ),
    rule("ingress: [{subnet: 192.168.0.0/16, except: 192.168.1.0/24}]"),
    rule(
      "portSelector: {protocol: tcp}, ingress: [{subnet: 192.168.0.0/16, except: 192.168.1.0/24}]",
    ),
  ],
  [
    "inlineManifests are appended to",
    "cluster: {inlineManifests: [{name: a, contents: x}]}",
    "cluster: {inlineManifests: [{name: a, contents: y}]}",
    "cluster: {inlineManifests: [{name: a, contents: x}, {name: a, contents: y}]}",
    grown("cluster.inlineManifests"),
  ],
  [
    "contents of inlineManifests begin with their first line",
    "cluster: {clusterName: a}",
    'cluster: {inlineManifests: [{name: a, contents: "\\n\\tx: 1\\n"}]}',
    'cluster: {clusterName: a, inlineManifests: [{name: a, contents: "x: 1\\n"}]}',
  ],
];

const keyed: readonly Row[] = [
  [
    "interfaces are found by their name",
    "machine: {network: {interfaces: [{interface: a, mtu: 1}, {interface: b, mtu: 2}]}}",
    "machine: {network: {interfaces: [{interface: b, mtu: 3, dhcp: true}]}}",
    "machine: {network: {interfaces: [{interface: a, mtu: 1}, {interface: b, mtu: 3, dhcp: true}]}}",
  ],
  [
    "interfaces of another name are appended",
    "machine: {network: {interfaces: [{interface: a}]}}",
    "machine: {network: {interfaces: [{interface: b}]}}",
    "machine: {network: {interfaces: [{interface: a}, {interface: b}]}}",
    grown("machine.network.interfaces"),
  ],
  [
    "interfaces are found by their selector",
    "machine: {network: {interfaces: [{deviceSelector: {driver: x}, mtu: 1}]}}",
    "machine: {network: {interfaces: [{deviceSelector: {driver: x}, dhcp: true}]}}",
    "machine: {network: {interfaces: [{deviceSelector: {driver: x}, mtu: 1, dhcp: true}]}}",
  ],
  [
    "interfaces are found by a selector for physical devices",
    "machine: {network: {interfaces: [{deviceSelector: {physical: true}, mtu: 1}]}}",
    "machine: {network: {interfaces: [{deviceSelector: {physical: true}, mtu: 2}]}}",
    "machine: {network: {interfaces: [{deviceSelector: {physical: true}, mtu: 2}]}}",
    { own: "there it is appended" },
  ],
  [
    "interfaces with another selector are appended",
    "machine: {network: {interfaces: [{deviceSelector: {driver: x}}]}}",
    "machine: {network: {interfaces: [{deviceSelector: {driver: x, hardwareAddr: 'a*'}}]}}",
    "machine: {network: {interfaces: [{deviceSelector: {driver: x}}, {deviceSelector: {driver: x, hardwareAddr: 'a*'}}]}}",
    grown("machine.network.interfaces"),
  ],
  [
    "interfaces with a name are not found by their selector",
    "machine: {network: {interfaces: [{interface: a, deviceSelector: {driver: x}}]}}",
    "machine: {network: {interfaces: [{interface: b, deviceSelector: {driver: x}}]}}",
    "machine: {network: {interfaces: [{interface: a, deviceSelector: {driver: x}}, {interface: b, deviceSelector: {driver: x}}]}}",
    grown("machine.network.interfaces"),
  ],
  [
    "addresses of an interface are appended",
    "machine: {network: {interfaces: [{interface: a, addresses: [10.0.0.1/24]}]}}",
    "machine: {network: {interfaces: [{interface: a, addresses: [10.0.0.2/24]}]}}",
    "machine: {network: {interfaces: [{interface: a, addresses: [10.0.0.1/24, 10.0.0.2/24]}]}}",
    grown("machine.network.interfaces[0].addresses"),
  ],
  [
    "vlans are found by their number",
    "machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 1, mtu: 1}, {vlanId: 16, mtu: 2}]}]}}",
    "machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 0x10, dhcp: true}]}]}}",
    "machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 1, mtu: 1}, {vlanId: 16, mtu: 2, dhcp: true}]}]}}",
  ],
  [
    "vlans of another number are appended",
    "machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 1}]}]}}",
    "machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 2}]}]}}",
    "machine: {network: {interfaces: [{interface: a, vlans: [{vlanId: 1}, {vlanId: 2}]}]}}",
    grown("machine.network.interfaces[0].vlans"),
  ],
  [
    "admissionControl is found by its name",
    "cluster: {apiServer: {admissionControl: [{name: P, configuration: {a: {x: y}, b: [c]}}]}}",
    "cluster: {apiServer: {admissionControl: [{name: P, configuration: {a: {x: z}, b: [d]}}]}}",
    "cluster: {apiServer: {admissionControl: [{name: P, configuration: {a: {x: z}, b: [c, d]}}]}}",
    grown("cluster.apiServer.admissionControl[0].configuration.b"),
  ],
  [
    "admissionControl of another name is appended",
    "cluster: {apiServer: {admissionControl: [{name: P, configuration: {}}]}}",
    "cluster: {apiServer: {admissionControl: [{name: Q, configuration: {}}]}}",
    "cluster: {apiServer: {admissionControl: [{name: P, configuration: {}}, {name: Q, configuration: {}}]}}",
    grown("cluster.apiServer.admissionControl"),
  ],
  [
    "configFiles are found by their mountPath",
    kind(
      "ExtensionServiceConfig",
      "name: a, configFiles: [{mountPath: /x, content: a}, {mountPath: /y, content: b}]",
    ),
    kind(
      "ExtensionServiceConfig",
      "name: a, configFiles: [{mountPath: /y, content: c}, {mountPath: /z, content: d}]",
    ),
    kind(
      "ExtensionServiceConfig",
      "name: a, configFiles: [{mountPath: /x, content: a}, {mountPath: /y, content: c}, {mountPath: /z, content: d}]",
    ),
    grown("configFiles in ExtensionServiceConfig/a"),
  ],
  [
    "configFiles of one patch with the same mountPath become one",
    kind("ExtensionServiceConfig", "name: a"),
    kind(
      "ExtensionServiceConfig",
      "name: a, configFiles: [{mountPath: /x, content: a}, {mountPath: /x, content: b}]",
    ),
    kind(
      "ExtensionServiceConfig",
      "name: a, configFiles: [{mountPath: /x, content: b}]",
    ),
  ],
];

/** Every case. */
export const listCases = toCases([...lists, ...keyed]);
