import {
  discoveryRules,
  kubespanRules,
} from "../../../config/rules/discovery.ts";
import { testRules } from "./_rules.ts";

function withService(service: string, enabled = true): string {
  return `cluster: {id: a, secret: b, discovery: {enabled: ${enabled}, registries: {service: ${service}}}}`;
}

testRules("discoveryRules", discoveryRules, [
  ["takes the default service", withService("{}"), []],
  ["takes a URL", withService("{endpoint: 'https://node/'}"), []],
  ["refuses a path", withService("{endpoint: 'https://node/a'}"), [
    'error cluster.discovery.registries.service.endpoint: Discovery service "https://node/a" is not an absolute URL without a path',
  ]],
  ["refuses other texts", withService("{endpoint: node}"), [
    'error cluster.discovery.registries.service.endpoint: Discovery service "node" is not an absolute URL without a path',
  ]],
  [
    "does not look at a service that is off",
    withService("{endpoint: x, disabled: true}"),
    [],
  ],
  [
    "does not look at discovery that is off",
    withService("{endpoint: x}", false),
    [],
  ],
  [
    "wants the cluster's identity",
    "cluster: {id: '', discovery: {enabled: true}}",
    [
      "error cluster.id: cluster.id is missing, which the discovery service needs",
      "error cluster.secret: cluster.secret is missing, which the discovery service needs",
    ],
  ],
]);

const cluster = "cluster: {id: a, secret: b, discovery: {enabled: true}}";
const place = "machine.network.kubespan";

function mesh(settings: string, rest = cluster): string {
  return `machine: {network: {kubespan: {${settings}}}}\n${rest}`;
}

testRules("kubespanRules", kubespanRules, [
  [
    "takes a mesh",
    mesh(
      "enabled: true, mtu: 1280, filters: {endpoints: ['!10.0.0.1'], excludeAdvertisedNetworks: [10.0.0.0/8]}",
    ),
    [],
  ],
  ["takes the default MTU written as 0", mesh("enabled: true, mtu: 0"), []],
  [
    "does not look at a mesh that is off",
    mesh("mtu: 5, filters: {endpoints: [a]}", "cluster: {}"),
    [],
  ],
  ["refuses small packets", mesh("enabled: true, mtu: 1279"), [
    `error ${place}.mtu: KubeSpan MTU 1279 is too small`,
  ]],
  ["wants discovery and identity", mesh("enabled: true", "cluster: {}"), [
    "error cluster.discovery.enabled: Discovery is not enabled, which KubeSpan needs",
    "error cluster.id: cluster.id is missing, which KubeSpan needs",
    "error cluster.secret: cluster.secret is missing, which KubeSpan needs",
  ]],
  [
    "wants identity also when the discovery service is off",
    mesh(
      "enabled: true",
      "cluster: {id: a, discovery: {enabled: true, registries: {service: {disabled: true}}}}",
    ),
    ["error cluster.secret: cluster.secret is missing, which KubeSpan needs"],
  ],
  [
    "leaves identity to the discovery service when that asks for it",
    mesh("enabled: true", "cluster: {discovery: {enabled: true}}"),
    [],
  ],
  [
    "refuses wrong filters",
    mesh(
      "enabled: true, filters: {endpoints: [a], excludeAdvertisedNetworks: [10.0.0.1]}",
    ),
    [
      `error ${place}.filters.endpoints[0]: Endpoint filter "a" is not valid`,
      `error ${place}.filters.excludeAdvertisedNetworks[0]: Excluded network "10.0.0.1" is not in CIDR notation`,
    ],
  ],
]);
