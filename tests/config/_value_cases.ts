/** Effects of values in patches; the same as with a node's own tools, unless `own` gives a reason. */

import { grown, kind, type Row, toCases, unchanged } from "./_patch_case.ts";

const volume = (entries: string) =>
  kind("VolumeConfig", `name: EPHEMERAL, ${entries}`);

const scalars: readonly Row[] = [
  [
    "a text is set",
    "machine: {type: worker}",
    "machine: {type: controlplane}",
    "machine: {type: controlplane}",
  ],
  [
    "a text that is empty changes nothing",
    "machine: {token: a}",
    'machine: {token: ""}',
    "machine: {token: a}",
    unchanged,
  ],
  [
    "a number is set, in any spelling",
    "machine: {network: {interfaces: [{interface: a, mtu: 1500}]}}",
    "machine: {network: {interfaces: [{interface: a, mtu: 0x2328}]}}",
    "machine: {network: {interfaces: [{interface: a, mtu: 9000}]}}",
  ],
  [
    "a number that is zero changes nothing",
    "machine: {network: {interfaces: [{interface: a, mtu: 1500}]}}",
    "machine: {network: {interfaces: [{interface: a, mtu: 0}]}}",
    "machine: {network: {interfaces: [{interface: a, mtu: 1500}]}}",
    unchanged,
  ],
  [
    "a duration is set",
    "machine: {time: {bootTimeout: 1m}}",
    "machine: {time: {bootTimeout: 90s}}",
    "machine: {time: {bootTimeout: 1m30s}}",
  ],
  [
    "a duration of zero changes nothing",
    "machine: {time: {bootTimeout: 1m}}",
    "machine: {time: {bootTimeout: 0s}}",
    "machine: {time: {bootTimeout: 1m}}",
    unchanged,
  ],
  [
    "a word is set",
    kind("NetworkDefaultActionConfig", "ingress: accept"),
    kind("NetworkDefaultActionConfig", "ingress: block"),
    kind("NetworkDefaultActionConfig", "ingress: block"),
  ],
  [
    "the word that is not defined changes nothing",
    kind("NetworkDefaultActionConfig", "ingress: block"),
    kind("NetworkDefaultActionConfig", "ingress: accept"),
    kind("NetworkDefaultActionConfig", "ingress: block"),
    unchanged,
  ],
  [
    "false is set where absent is false",
    "machine: {install: {wipe: true}}",
    "machine: {install: {wipe: false}}",
    "machine: {install: {wipe: false}}",
  ],
  [
    "false is set where absent is unknown",
    "machine: {kubelet: {disableManifestsDirectory: true}}",
    "machine: {kubelet: {disableManifestsDirectory: false}}",
    "machine: {kubelet: {disableManifestsDirectory: false}}",
  ],
  [
    "words of YAML 1.1 are truth values",
    "machine: {install: {wipe: false}}",
    "machine: {install: {wipe: yes}}",
    "machine: {install: {wipe: true}}",
  ],
  [
    "zero is set where absent is not zero",
    kind("ZswapConfig", "maxPoolPercent: 20"),
    kind("ZswapConfig", "maxPoolPercent: 0"),
    kind("ZswapConfig", "maxPoolPercent: 0"),
  ],
  [
    "false of a document is set",
    kind("LinkConfig", "name: a, up: true"),
    kind("LinkConfig", "name: a, up: false"),
    kind("LinkConfig", "name: a, up: false"),
  ],
  [
    "null changes nothing",
    "machine: {type: worker, network: {hostname: a}}",
    "machine: {type: ~, network: ~}",
    "machine: {type: worker, network: {hostname: a}}",
    unchanged,
  ],
  [
    "null as a whole section changes nothing",
    "machine: {type: worker}\ncluster: {clusterName: a}",
    "machine: ~\ncluster:",
    "machine: {type: worker}\ncluster: {clusterName: a}",
    unchanged,
  ],
  [
    "an empty section comes into being",
    "machine: {type: worker}",
    "machine: {kubelet: {}}",
    "machine: {type: worker, kubelet: {}}",
  ],
  [
    "what was null is set",
    "machine: ~",
    "machine: {type: worker}",
    "machine: {type: worker}",
  ],
];

const addresses: readonly Row[] = [
  [
    "a URL is replaced, with everything in it",
    "cluster: {controlPlane: {endpoint: 'https://a:6443/p?x=1'}}",
    "cluster: {controlPlane: {endpoint: 'https://b'}}",
    "cluster: {controlPlane: {endpoint: 'https://b'}}",
    { own: "there it keeps the path and the query" },
  ],
  [
    "the URL of a document is replaced",
    kind("SideroLinkConfig", "apiUrl: 'grpc://a:1/?jointoken=x'"),
    kind("SideroLinkConfig", "apiUrl: 'https://b/'"),
    kind("SideroLinkConfig", "apiUrl: 'https://b/'"),
    { own: "there it keeps the query" },
  ],
  [
    "a pair of certificate and key is replaced",
    "machine: {ca: {crt: YQ==, key: Yg==}}",
    "machine: {ca: {crt: Yw==, key: ZA==}}",
    "machine: {ca: {crt: Yw==, key: ZA==}}",
  ],
  [
    "a certificate without a key takes the place of a pair",
    "cluster: {etcd: {ca: {crt: YQ==, key: Yg==}}}",
    "cluster: {etcd: {ca: {crt: Yw==}}}",
    'cluster: {etcd: {ca: {crt: Yw==, key: ""}}}',
  ],
  [
    "bytes are replaced, also by none",
    kind("DHCPv4Config", "name: a, duidRaw: '00:01'"),
    kind("DHCPv4Config", "name: a, duidRaw: ''"),
    kind("DHCPv4Config", "name: a"),
  ],
  [
    "the hardware address of a link is replaced, also by none",
    kind("DummyLinkConfig", "name: a, hardwareAddr: '02:00:00:00:00:01'"),
    kind("DummyLinkConfig", "name: a, hardwareAddr: ''"),
    kind("DummyLinkConfig", "name: a"),
  ],
];

const maps: readonly Row[] = [
  [
    "keys of mappings are added and set",
    "machine: {sysctls: {a: x, b: y}}",
    "machine: {sysctls: {b: z, c: w}}",
    "machine: {sysctls: {a: x, b: z, c: w}}",
  ],
  [
    "an empty text does not empty a key",
    "machine: {sysctls: {a: x}}",
    'machine: {sysctls: {a: "", b: ""}}',
    'machine: {sysctls: {a: x, b: ""}}',
  ],
  [
    "a key that is null comes into being, but does not change",
    "machine: {sysctls: {a: x}}",
    "machine: {sysctls: {a: ~, b: ~}}",
    'machine: {sysctls: {a: x, b: ""}}',
  ],
  [
    "an empty mapping changes nothing",
    "machine: {nodeLabels: {a: x}}",
    "machine: {nodeLabels: {}}",
    "machine: {nodeLabels: {a: x}}",
    unchanged,
  ],
  [
    "mappings of mappings are merged",
    "machine: {registries: {mirrors: {a: {endpoints: ['http://x'], skipFallback: true}}}}",
    "machine: {registries: {mirrors: {a: {overridePath: true}, b: {endpoints: ['http://y']}}}}",
    "machine: {registries: {mirrors: {a: {endpoints: ['http://x'], skipFallback: true, overridePath: true}, b: {endpoints: ['http://y']}}}}",
  ],
  [
    "what is left open is merged at every depth",
    "machine: {kubelet: {extraConfig: {a: {b: 1, c: x}}}}",
    "machine: {kubelet: {extraConfig: {a: {b: 2, d: true}}}}",
    "machine: {kubelet: {extraConfig: {a: {b: 2, c: x, d: true}}}}",
  ],
  [
    "lists in what is left open are appended to",
    "machine: {kubelet: {extraConfig: {a: [1]}}}",
    "machine: {kubelet: {extraConfig: {a: [2, ~]}}}",
    "machine: {kubelet: {extraConfig: {a: [1, 2, ~]}}}",
    grown("machine.kubelet.extraConfig.a", 2),
  ],
  [
    "nothing and zero change nothing in what is left open, false does",
    "machine: {kubelet: {extraConfig: {a: x, b: 1, c: true, d: 0.5}}}",
    'machine: {kubelet: {extraConfig: {a: "", b: 0, c: false, d: 0.0}}}',
    "machine: {kubelet: {extraConfig: {a: x, b: 1, c: false, d: 0.5}}}",
  ],
  [
    "null in what is left open comes into being, and is set",
    "machine: {kubelet: {extraConfig: {a: ~}}}",
    "machine: {kubelet: {extraConfig: {a: 1, b: ~}}}",
    "machine: {kubelet: {extraConfig: {a: 1, b: ~}}}",
  ],
  [
    "auditPolicy is replaced as a whole",
    "cluster: {apiServer: {auditPolicy: {kind: Policy, rules: [{level: Metadata}]}}}",
    "cluster: {apiServer: {auditPolicy: {kind: Policy, rules: [{level: None}], x: y}}}",
    "cluster: {apiServer: {auditPolicy: {kind: Policy, rules: [{level: None}], x: y}}}",
  ],
  [
    "an empty auditPolicy changes nothing",
    "cluster: {apiServer: {auditPolicy: {kind: Policy}}}",
    "cluster: {apiServer: {auditPolicy: {}}}",
    "cluster: {apiServer: {auditPolicy: {kind: Policy}}}",
    unchanged,
  ],
];

const volumes: readonly Row[] = [
  [
    "expressions and sizes that a patch does not name stay",
    volume(
      "provisioning: {diskSelector: {match: '!system_disk'}, minSize: 10GiB}",
    ),
    volume("provisioning: {grow: true}"),
    volume(
      "provisioning: {diskSelector: {match: '!system_disk'}, minSize: 10GiB, grow: true}",
    ),
    { own: "there they are erased" },
  ],
  [
    "expressions and sizes are replaced",
    volume(
      "provisioning: {diskSelector: {match: '!system_disk'}, minSize: 10GiB}",
    ),
    volume(
      "provisioning: {diskSelector: {match: 'disk.rotational'}, minSize: 20GiB}",
    ),
    volume(
      "provisioning: {diskSelector: {match: 'disk.rotational'}, minSize: 20GiB}",
    ),
  ],
  [
    "both expressions about memory are replaced one by one",
    kind(
      "OOMConfig",
      "triggerExpression: 'true', cgroupRankingExpression: '1.0'",
    ),
    kind("OOMConfig", "triggerExpression: 'false'"),
    kind(
      "OOMConfig",
      "triggerExpression: 'false', cgroupRankingExpression: '1.0'",
    ),
    { own: "there the other is erased" },
  ],
  [
    "a share takes the place of a size",
    volume("provisioning: {minSize: 1GiB, maxSize: 10GiB}"),
    volume("provisioning: {minSize: 1GiB, maxSize: 50%}"),
    volume("provisioning: {minSize: 1GiB, maxSize: 50%}"),
    { own: "there the size is shown" },
  ],
  [
    "a size takes the place of a share",
    volume("provisioning: {minSize: 1GiB, maxSize: 50%}"),
    volume("provisioning: {minSize: 1GiB, maxSize: 10GiB}"),
    volume("provisioning: {minSize: 1GiB, maxSize: 10GiB}"),
  ],
];

/** Every case. */
export const valueCases = toCases(
  [scalars, addresses, maps, volumes].flat(),
);
