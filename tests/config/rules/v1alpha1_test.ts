import assert from "node:assert/strict";
import { v1alpha1Rules } from "../../../config/rules/v1alpha1.ts";
import { contextOf, testRules } from "./_rules.ts";

const good = `machine:
  type: controlplane
  ca: {crt: QQ==, key: QQ==}
  install: {disk: /dev/sda}
cluster:
  controlPlane: {endpoint: https://10.0.0.1:6443}
`;

testRules("v1alpha1Rules", v1alpha1Rules, [
  ["takes the least there must be", good, []],
  ["wants machine and checks nothing else", "persist: false", [
    'error machine: "machine" is missing',
  ]],
  ["refuses persist false", `persist: false\n${good}`, [
    "error persist: persist is false, but nodes always keep their configuration",
  ]],
  ["takes persist true", `persist: true\n${good}`, []],
  [
    "finds problems of every area at once",
    `
persist: no
machine:
  type: join
  kubelet: {extraConfig: {port: 1}}
  network: {interfaces: [{}], kubespan: {enabled: true, mtu: 1}}
  disks: [~]
  registries: {mirrors: {a: ~}}
  systemDiskEncryption: {state: {}}
  features: {nodeAddressSortAlgorithm: v3}
  logging: {destinations: [{endpoint: 'tcp://a', format: a}]}
  baseRuntimeSpecOverrides: {hostname: 1}
  nodeLabels: {a: -b}
cluster:
  network: {dnsDomain: a b}
  apiServer: {authorizationConfig: [{type: a, name: a}], resources: {limits: {a: 1}}}
  discovery: {enabled: true, registries: {service: {endpoint: a}}}
  etcd: {}
  externalCloudProvider: {manifests: ['https://a']}
  inlineManifests: [{}]
`,
    [
      "error persist: persist is false, but nodes always keep their configuration",
      'warning machine.type: Machine type "join" is an old word',
      "error machine.ca: Neither machine.ca nor machine.acceptedCAs is given",
      'error machine.kubelet.extraConfig.port: Kubelet setting "port" cannot be changed',
      "error machine.network.interfaces[0]: An interface has neither a name nor a selector",
      "error machine.network.kubespan.mtu: KubeSpan MTU 1 is too small",
      "error machine.disks[0]: A disk is empty",
      'error machine.install: "machine.install" is missing, which mode "metal" needs',
      'error machine.registries.mirrors.a: Registry "a" has nothing under machine.registries.mirrors',
      'error machine.systemDiskEncryption.state.keys: "keys" is missing',
      'error machine.features.nodeAddressSortAlgorithm: Sort algorithm "v3" does not exist',
      'error machine.logging.destinations[0].format: Log format "a" does not exist',
      'error machine.baseRuntimeSpecOverrides.hostname: hostname of the runtime specification is "1", not a text',
      'error machine.nodeLabels.a: Label value "-b" is not valid',
      'error cluster.controlPlane: "controlPlane" is missing',
      'error cluster.network.dnsDomain: "a b" is not a DNS name',
      'error cluster.apiServer.authorizationConfig[0].type: Authorizer type "a" does not exist',
      'error cluster.apiServer.resources.limits.a: Resource "a" of apiServer is not supported',
      'error cluster.discovery.registries.service.endpoint: Discovery service "a" is not an absolute URL without a path',
      "error cluster.id: cluster.id is missing, which the discovery service needs",
      "error cluster.secret: cluster.secret is missing, which the discovery service needs",
      "error cluster.etcd: etcd is configured on a machine that is no control plane",
      "error cluster.externalCloudProvider.manifests: Manifests of a cloud provider are given, but none is enabled",
      'error cluster.inlineManifests[0].name: "name" is missing',
    ],
  ],
]);

Deno.test("v1alpha1Rules says where a problem stands and what would be right", () => {
  const text = good.replace("/dev/sda", "''").replace("controlplane", "master");
  const context = contextOf(text, "metal");
  const root = context.documents[0]?.cursor;
  assert.ok(root);
  assert.deepEqual([...v1alpha1Rules(root, context)], [
    {
      level: "error",
      path: "machine.type",
      message: 'Machine type "master" does not exist',
      hint: 'Write "controlplane" or "worker"',
      at: { file: "f", line: 2, column: 3 },
    },
    {
      level: "error",
      path: "machine.install",
      message: 'Mode "metal" needs a disk to install to',
      hint: "Give machine.install.disk or machine.install.diskSelector",
      at: { file: "f", line: 4, column: 3 },
    },
  ]);
});
