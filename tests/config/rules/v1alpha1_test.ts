import assert from "node:assert/strict";
import { v1alpha1Rules } from "../../../config/rules/v1alpha1.ts";
import { formatProblems, ruleContext, testRules } from "./_rules.ts";
import {
  caRules,
  cloudProviderRules,
  cniRules,
  controlPlaneEndpointRules,
  dnsDomainRules,
  inlineManifestRules,
} from "../../../config/rules/cluster.ts";
import {
  authorizationRules,
  resourceRules,
} from "../../../config/rules/control_plane.ts";
import { diskEncryptionRules } from "../../../config/rules/machine.ts";

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
      'warning machine.type: Machine type "join" is deprecated',
      "error machine.ca: Neither machine.ca nor machine.acceptedCAs is given",
      'error machine.kubelet.extraConfig.port: Kubelet setting "port" cannot be changed',
      "error machine.network.interfaces[0]: An interface has neither a name nor a selector",
      "error machine.network.kubespan.mtu: KubeSpan MTU 1 is too small",
      "error machine.disks[0]: A disk is empty",
      'error machine.install: "machine.install" is missing, which mode "metal" needs',
      'error machine.registries.mirrors.a: Registry "a" is empty under machine.registries.mirrors',
      'error machine.systemDiskEncryption.state.keys: "keys" is missing',
      'error machine.features.nodeAddressSortAlgorithm: Sort algorithm "v3" does not exist',
      'error machine.logging.destinations[0].format: Log format "a" does not exist',
      'error machine.baseRuntimeSpecOverrides.hostname: hostname of the OCI runtime spec is "1", not a string',
      'error machine.nodeLabels.a: Label value "-b" is not valid',
      'error cluster.controlPlane: "controlPlane" is missing',
      'error cluster.network.dnsDomain: "a b" is not a DNS name',
      'error cluster.apiServer.authorizationConfig[0].type: Authorizer type "a" does not exist',
      'error cluster.apiServer.resources.limits.a: Resource "a" of apiServer is not supported',
      'error cluster.discovery.registries.service.endpoint: Discovery service "a" is not an absolute URL without a path',
      "error cluster.id: cluster.id is missing, which the discovery service needs",
      "error cluster.secret: cluster.secret is missing, which the discovery service needs",
      "error cluster.etcd: etcd is configured on a worker",
      "error cluster.externalCloudProvider.manifests: Cloud provider manifests are given, but externalCloudProvider is not enabled",
      'error cluster.inlineManifests[0].name: "name" is missing',
    ],
  ],
]);

Deno.test("v1alpha1Rules says where a problem is and what would be right", () => {
  const text = good.replace("/dev/sda", "''").replace("controlplane", "master");
  const context = ruleContext(text, "metal");
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

testRules("caRules", caRules, [
  [
    "takes a control plane with a key",
    "machine: {type: controlplane, ca: {crt: QQ==, key: QQ==}}\ncluster: {ca: {key: QQ==}}",
    [],
  ],
  [
    "takes a worker without keys",
    "machine: {type: worker, ca: {crt: QQ==, key: ''}}\ncluster: {ca: {crt: QQ==, key: ''}}",
    [],
  ],
  [
    "takes a worker that accepts others",
    "machine: {type: worker, acceptedCAs: [{crt: QQ==}]}",
    [],
  ],
  ["wants anyone to trust", "machine: {type: worker, acceptedCAs: []}", [
    "error machine.ca: Neither machine.ca nor machine.acceptedCAs is given",
  ]],
  [
    "requires a CA on a control plane",
    "machine: {type: controlplane, acceptedCAs: [{crt: QQ==}]}",
    ["error machine.ca: A control plane has no CA of its own"],
  ],
  [
    "wants its key on a control plane",
    "machine: {type: init, ca: {crt: QQ==}}",
    ["error machine.ca.key: The CA of a control plane has no key"],
  ],
  [
    "refuses keys on a worker",
    "machine: {type: worker, ca: {crt: QQ==, key: QQ==}}\ncluster: {ca: {key: QQ==}}",
    [
      "error machine.ca.key: The key of the node API CA is on a worker",
      "error cluster.ca.key: The key of the Kubernetes CA is on a machine that is not a control plane",
    ],
  ],
  [
    "wants a certificate on a worker",
    "machine: {type: worker, ca: {}}",
    [
      "error machine.ca.crt: A worker trusts no CA: machine.ca.crt and machine.acceptedCAs are empty",
    ],
  ],
  [
    "takes an empty CA besides accepted ones",
    "machine: {type: worker, ca: {}, acceptedCAs: [{crt: QQ==}]}",
    [],
  ],
]);

testRules("dnsDomainRules", dnsDomainRules, [
  ["takes a name", "cluster: {network: {dnsDomain: cluster.local}}", []],
  ["takes nothing", "cluster: {network: {dnsDomain: ''}}", []],
  ["refuses other texts", "cluster: {network: {dnsDomain: 'my cluster'}}", [
    'error cluster.network.dnsDomain: "my cluster" is not a DNS name',
  ]],
]);

testRules("cloudProviderRules", cloudProviderRules, [
  [
    "takes manifests of an enabled provider",
    "cluster: {externalCloudProvider: {enabled: true, manifests: ['https://a/b']}}",
    [],
  ],
  [
    "refuses manifests without a provider",
    "cluster: {externalCloudProvider: {manifests: ['https://a/b']}}",
    [
      "error cluster.externalCloudProvider.manifests: Cloud provider manifests are given, but externalCloudProvider is not enabled",
    ],
  ],
  [
    "refuses manifests that are not URL",
    "cluster: {externalCloudProvider: {enabled: true, manifests: ['https://a:0']}}",
    [
      'error cluster.externalCloudProvider.manifests[0]: Manifest URL "https://a:0" has port 0, which is out of range',
    ],
  ],
]);

testRules("inlineManifestRules", inlineManifestRules, [
  ["takes names", "cluster: {inlineManifests: [{name: a}, {name: b}]}", []],
  ["wants names", "cluster: {inlineManifests: [{}, {name: ' '}]}", [
    'error cluster.inlineManifests[0].name: "name" is missing',
    'error cluster.inlineManifests[1].name: " " is not the name of an inline manifest',
  ]],
  ["refuses doubles", "cluster: {inlineManifests: [{name: a}, {name: a}]}", [
    'error cluster.inlineManifests[1].name: Two inline manifests are named "a"',
  ]],
]);

function withCni(cni: string, type = "controlplane"): string {
  return `machine: {type: ${type}}\ncluster: {network: {cni: ${cni}}}`;
}

testRules("cniRules", cniRules, [
  ["takes none given", "machine: {type: controlplane}\ncluster: {}", []],
  [
    "takes flannel",
    withCni("{name: flannel, flannel: {extraArgs: [--x]}}"),
    [],
  ],
  [
    "takes manifests of one's own",
    withCni("{name: custom, urls: ['https://a/b']}"),
    [],
  ],
  ["refuses unknown names", withCni("{name: cilium}"), [
    'error cluster.network.cni.name: CNI "cilium" does not exist',
  ]],
  ["wants a name", withCni("{}"), [
    "error cluster.network.cni.name: The CNI has no name",
  ]],
  ["looks at control planes only", withCni("{name: cilium}", "worker"), []],
  ["refuses manifests for flannel", withCni("{name: flannel, urls: [x]}"), [
    'error cluster.network.cni.urls: Manifests are given for CNI "flannel", which does not use manifests',
  ]],
  [
    "refuses manifests and arguments for none",
    withCni("{name: none, urls: [x], flannel: {extraArgs: [--x]}}"),
    [
      'error cluster.network.cni.flannel.extraArgs: Flannel arguments are given for CNI "none"',
      'error cluster.network.cni.urls: Manifests are given for CNI "none", which does not use manifests',
    ],
  ],
  [
    "refuses arguments of flannel for custom, and warns of no manifests",
    withCni("{name: custom, flannel: {extraArgs: [--x]}}"),
    [
      'error cluster.network.cni.flannel.extraArgs: Flannel arguments are given for CNI "custom"',
      'warning cluster.network.cni.urls: CNI "custom" has no manifests',
    ],
  ],
  [
    "refuses manifests that are not URL",
    withCni("{name: custom, urls: ['https://a/b', manifest.yaml]}"),
    [
      'error cluster.network.cni.urls[1]: Manifest URL "manifest.yaml" has no host',
    ],
  ],
]);

testRules("controlPlaneEndpointRules", controlPlaneEndpointRules, [
  [
    "takes a URL",
    "cluster: {controlPlane: {endpoint: 'https://10.0.0.1:6443'}}",
    [],
  ],
  ["wants cluster", "machine: {}", ['error cluster: "cluster" is missing']],
  ["wants controlPlane", "cluster: {}", [
    'error cluster.controlPlane: "controlPlane" is missing',
  ]],
  ["wants an endpoint", "cluster: {controlPlane: {endpoint: ''}}", [
    'error cluster.controlPlane.endpoint: "endpoint" is missing',
  ]],
  [
    "wants a port that exists",
    "cluster: {controlPlane: {endpoint: 'https://10.0.0.1:70000'}}",
    [
      'error cluster.controlPlane.endpoint: Endpoint "https://10.0.0.1:70000" has port 70000, which is out of range',
    ],
  ],
  [
    "wants brackets",
    "cluster: {controlPlane: {endpoint: 'https://fd00::1:6443'}}",
    [
      'error cluster.controlPlane.endpoint: Endpoint "https://fd00::1:6443" has an IPv6 address without brackets',
    ],
  ],
  ["wants a host", "cluster: {controlPlane: {endpoint: 'node:6443'}}", [
    'error cluster.controlPlane.endpoint: Endpoint "node:6443" has no host',
  ]],
]);

testRules("resourceRules", resourceRules, [
  [
    "takes processors and memory",
    "cluster: {apiServer: {resources: {requests: {cpu: 1}, limits: {memory: 1Gi}}}}",
    [],
  ],
  [
    "refuses other resources of every pod",
    [
      "cluster:",
      "  apiServer: {resources: {requests: {gpu: 1}}}",
      "  controllerManager: {resources: {limits: {CPU: 1}}}",
      "  scheduler: {resources: {limits: {disk: 1}}}",
    ].join("\n"),
    [
      'error cluster.apiServer.resources.requests.gpu: Resource "gpu" of apiServer is not supported',
      'error cluster.controllerManager.resources.limits.CPU: Resource "CPU" of controllerManager is not supported',
      'error cluster.scheduler.resources.limits.disk: Resource "disk" of scheduler is not supported',
    ],
  ],
]);

testRules("authorizationRules", authorizationRules, [
  [
    "takes complete authorizers",
    "cluster: {apiServer: {authorizationConfig: [{type: Webhook, name: a}], extraArgs: {v: '4'}}}",
    [],
  ],
  [
    "takes arguments alone",
    "cluster: {apiServer: {extraArgs: {authorization-mode: RBAC}}}",
    [],
  ],
  [
    "refuses arguments besides an empty list",
    "cluster: {apiServer: {authorizationConfig: [], extraArgs: {authorization-mode: RBAC, authorization-webhook-version: v1}}}",
    [
      'error cluster.apiServer.extraArgs.authorization-mode: Argument "authorization-mode" cannot be combined with authorizationConfig',
      'error cluster.apiServer.extraArgs.authorization-webhook-version: Argument "authorization-webhook-version" cannot be combined with authorizationConfig',
    ],
  ],
  [
    "wants type and name",
    "cluster: {apiServer: {authorizationConfig: [{}, {type: node, name: a}]}}",
    [
      'error cluster.apiServer.authorizationConfig[0].type: "type" is missing',
      'error cluster.apiServer.authorizationConfig[0].name: "name" is missing',
      'error cluster.apiServer.authorizationConfig[1].type: Authorizer type "node" does not exist',
    ],
  ],
]);

const place = "machine.systemDiskEncryption";

function partitions(text: string): string {
  return `machine: {systemDiskEncryption: ${text}}`;
}

testRules("diskEncryptionRules", diskEncryptionRules, [
  [
    "takes keys in slots of their own",
    partitions(
      "{state: {keys: [{nodeID: {}, slot: 0}, {tpm: {}, slot: 1}]}, ephemeral: {keys: [{static: {}, slot: 0}, {kms: {}, slot: 1}]}}",
    ),
    [],
  ],
  ["wants keys", partitions("{state: {}, ephemeral: {keys: []}}"), [
    `error ${place}.state.keys: "keys" is missing`,
    `error ${place}.ephemeral.keys: "keys" is missing`,
  ]],
  [
    "refuses two keys in one slot",
    partitions("{state: {keys: [{nodeID: {}}, {tpm: {}, slot: 0}]}}"),
    [
      `error ${place}.state.keys[1].slot: Two keys of partition "state" are in slot 0`,
    ],
  ],
  [
    "wants sources",
    partitions("{ephemeral: {keys: [{slot: 1, nodeID: ~}, ~]}}"),
    [
      `error ${place}.ephemeral.keys[0]: A key of partition "ephemeral" has no source`,
      `error ${place}.ephemeral.keys[1]: A key of partition "ephemeral" has no source`,
    ],
  ],
]);

Deno.test("v1.14 warns about what has documents of its own, older versions do not", () => {
  const old = `machine:
  files: [{path: /var/a, op: create, content: b}]
  baseRuntimeSpecOverrides: {hostname: a}
`;
  const context = ruleContext(good.replace("machine:\n", old), "metal");
  const told = (version: "1.13" | "1.14") =>
    formatProblems(
      [...v1alpha1Rules(context.documents[0]!.cursor, { ...context, version })]
        .filter(({ level }) => level === "warning"),
    );
  assert.deepEqual(told("1.13"), []);
  assert.deepEqual(told("1.14"), [
    "warning machine.files: machine.files is deprecated",
    "warning machine.baseRuntimeSpecOverrides: machine.baseRuntimeSpecOverrides is deprecated",
  ]);
});
