import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { faultText } from "../../config/documents/problem.ts";
import {
  validateDocuments,
  type ValidateOptions,
} from "../../config/validate.ts";
import { parseContract, toOsVersion } from "../../config/generate/contract.ts";
import { machineConfig } from "../../config/generate/machine_config.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { ConfigError } from "../../errors.ts";
import { someSecrets } from "./generate/_bundle.ts";
import { growth, proportional } from "../_scaling.ts";
import { mutants } from "./tree/_mutated_yaml.ts";

/** Problems as `document level line:column identity: text`. */
function problems(
  text: string,
  options: Omit<ValidateOptions, "source"> = { mode: "cloud" },
): readonly string[] {
  const loaded = loadDocuments(text, "f");
  return validateDocuments(loaded, { ...options, source: text }).map((one) => {
    const { document, level, at, identity } = one;
    const place = at === undefined ? "" : ` ${at.line}:${at.column}`;
    return `${document} ${level}${place} ${identity}: ${faultText(one)}`;
  });
}

/** A volume with an expression, which begins in line 6. */
function volume(match: string): string {
  return `apiVersion: v1alpha1
kind: UserVolumeConfig
name: data
provisioning:
  diskSelector:
    match: ${match}
  minSize: 1GB
`;
}

const faulty = "UserVolumeConfig/data: provisioning.diskSelector.match: " +
  'Unknown name "dsk" (Did you mean "disk"?)';

const expressions: readonly (readonly [match: string, place: string])[] = [
  ["true && dsk.size", "6:20"],
  ["true && dsk.size # comment", "6:20"],
  ['"true && dsk.size"', "6:21"],
  ["'true && dsk.size'", "6:21"],
  // The key, where the text is written otherwise than it reads.
  ['"true \\u0026& dsk.size"', "6:5"],
  ["true &&\n      dsk.size", "6:5"],
  ['"true &&\n      dsk.size"', "6:5"],
  ["|-\n      true && dsk.size", "6:5"],
  ["|\n      true &&\n      dsk.size", "6:5"],
];

for (const [match, place] of expressions) {
  Deno.test(`validateDocuments tells where the fault in ${JSON.stringify(match)} is`, () => {
    const expected = [`1 error ${place} ${faulty}`];
    assert.deepEqual(problems(volume(match)), expected);
    const windows = volume(match).replaceAll("\n", "\r\n");
    assert.deepEqual(problems(windows), expected);
  });
}

Deno.test("validateDocuments points at the key of an expression without the source", () => {
  const loaded = loadDocuments(volume("dsk.size > 1u"), "f");
  const [problem] = validateDocuments(loaded, { mode: "cloud" });
  assert.deepEqual(problem?.at, { file: "f", line: 6, column: 5 });
});

Deno.test("validateDocuments says once what a rule and a description both say", () => {
  assert.deepEqual(problems("apiVersion: v1alpha1\nkind: VLANConfig\n"), [
    '1 error 1:1 VLANConfig: name: "name" is missing (Give the document a name)',
    '1 error 1:1 VLANConfig: vlanID: "vlanID" is missing (Give vlanID: VLAN ID)',
    '1 error 1:1 VLANConfig: parent: "parent" is missing (Give parent: Name or alias of the parent link)',
  ]);
});

Deno.test("validateDocuments says nothing about the parts of a value that is none", () => {
  assert.deepEqual(
    problems(
      "machine:\n  type: worker\n  ca: {crt: '%'}\ncluster: {controlPlane: 1}\n",
    ),
    [
      "1 error 3:13 v1alpha1: machine.ca.crt: This is not a base64 text (Give base64 with padding)",
      "1 error 4:25 v1alpha1: cluster.controlPlane: This is a single value (Give a mapping)",
    ],
  );
});

Deno.test("validateDocuments keeps the order of documents and of lines", () => {
  const text = `a: 1
---
- b
---
apiVersion: v1alpha1
kind: KmsgLogConfig
name: c
url: nowhere
nme: c
---
apiVersion: v1
kind: Pod
---
apiVersion: v1alpha1
kind: KmsgLogConfig
name: c
url: tcp://a:1
`;
  const places = problems(text).map((one) => one.split(" ", 4).join(" "));
  assert.deepEqual([...new Set(places)], [
    "1 error 1:1 :",
    "2 error 3:1 :",
    "3 error 8:1 KmsgLogConfig/c:",
    "3 error 9:1 KmsgLogConfig/c:",
    "4 error 11:1 Pod:",
    "5 error 14:1 KmsgLogConfig/c:",
  ]);
});

const main = `machine:
  type: worker
  ca: {crt: QQ==}
  network: {hostname: a}
  time: {servers: [b]}
cluster: {controlPlane: {endpoint: "https://a:6443"}}
`;

Deno.test("validateDocuments checks documents against each other", () => {
  assert.deepEqual(problems(main), []);
  const text = `apiVersion: v1alpha1
kind: HostnameConfig
hostname: c
---
${main}`;
  assert.deepEqual(problems(text), [
    "2 error 8:13 v1alpha1: machine.network.hostname: machine.network.hostname conflicts with document HostnameConfig (Remove machine.network.hostname; the document replaces it)",
  ]);
});

Deno.test("validateDocuments refuses what holds no document", () => {
  assert.deepEqual(problems("# none\n---\n"), [
    "1 error : There is no document (Give a machine configuration)",
  ]);
});

Deno.test("validateDocuments names keys and kinds that a version does not know", () => {
  const text = `${main}  # end
---
apiVersion: v1alpha1
kind: UserVolumeConfig
name: a
provisioning: {minSize: 1GB, diskSelector: {match: "true"}}
`.replace("type: worker", "type: worker\n  install: {grubUseUKICmdline: true}");
  const reported = (osVersion: OsVersion) =>
    problems(text, { mode: "cloud", osVersion });
  assert.deepEqual(reported("1.12"), []);
  assert.deepEqual(reported("1.11"), [
    "1 error 3:13 v1alpha1: machine.install.grubUseUKICmdline: Version 1.11 does not support this key (It is supported since 1.12)",
  ]);
  assert.deepEqual(
    reported("1.9")[1],
    "2 error 11:1 UserVolumeConfig/a: kind: Version 1.9 does not support UserVolumeConfig (It is supported since 1.10)",
  );
});

Deno.test("validateDocuments takes time in proportion to what it checks", async () => {
  type Times = (make: (i: number) => string) => string;
  /** Texts of a size, and how many problems each has. */
  const repeatTexts = (
    count: number,
    times: Times,
  ): readonly (readonly [string, number])[] => [
    [
      times((i) =>
        `---\napiVersion: v1alpha1\nkind: DummyLinkConfig\nname: d${i}\n`
      ),
      0,
    ],
    [times(() => "---\napiVersion: v1\nkind: X\n"), 2 * count - 1],
    [times(() => "---\na: 1\n"), count],
    [
      main.replace(
        "{controlPlane",
        `{inlineManifests: [${times((i) => `{name: m${i}}, `)}], controlPlane`,
      ),
      0,
    ],
    [
      main.replace(
        "type",
        `nodeLabels:\n${times((i) => `    a${i}: -a\n`)}  type`,
      ),
      count,
    ],
    [main.replace("type", `${times((i) => `k${i}: 1\n  `)}type`), count],
    [main.replace("type", `${"k".repeat(count * 10)}: 1\n  type`), 1],
    [volume(`"${"a".repeat(count * 10)}"`), 1],
  ];
  const sized = (count: number) =>
    repeatTexts(
      count,
      (make) => Array.from({ length: count }, (_, i) => make(i)).join(""),
    );
  for (const at of sized(1).keys()) {
    const grown = await growth((size) => {
      const [text, expected] = sized(size)[at]!;
      assert.equal(problems(text).length, expected);
    }, 400);
    assert.ok(grown < proportional, `text ${at}: ${grown}`);
  }
});

Deno.test("validateDocuments shortens what long values make of messages", () => {
  const long = "a".repeat(1e6);
  const texts = [
    main.replace("worker", long),
    main.replace("{crt", `{${long}: 1, crt`),
  ];
  for (const text of texts) {
    const [problem = ""] = problems(text);
    assert.match(problem, /aaaa…aaaa/);
    assert.ok(problem.length < 3000, `${problem.length}`);
  }
});

Deno.test("validateDocuments ends with problems for whatever can be read", () => {
  const sample = `${main}---\n${volume("disk.size > 1u")}`;
  const check = (text: string) => {
    try {
      problems(text, { mode: "metal", osVersion: "1.10" });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  };
  fc.assert(fc.property(mutants(sample), check), { numRuns: 300 });
});

Deno.test("configurations of 1.13 and 1.14 are valid as they are generated", () => {
  for (const version of ["v1.13", "v1.14"]) {
    const contract = parseContract(version);
    for (const role of ["controlplane", "worker"] as const) {
      for (const mode of ["metal", "cloud"] as const) {
        const documents = machineConfig({
          clusterName: "c",
          endpoint: "https://10.0.0.1:6443",
          contract,
          secrets: someSecrets,
          kubespan: true,
        }, role);
        const found = validateDocuments(
          loadDocuments(encodeDocuments(documents), "f"),
          { mode, osVersion: toOsVersion(contract) },
        );
        const errors = found.filter(({ level }) => level === "error");
        assert.deepEqual(errors, []);
      }
    }
  }
});

/** Problems of a main document beside others, for 1.14. */
function problemsBeside(main: string, others: readonly string[]) {
  const text = [
    `machine: {type: controlplane, ca: {crt: YQ==, key: YQ==}}\n${main}`,
    ...others.map((other) => `apiVersion: v1alpha1\nkind: ${other}`),
  ].join("\n---\n");
  return problems(text, { mode: "metal", osVersion: "1.14" });
}

Deno.test("validate: settings of 1.14 documents must not also be in the main document", () => {
  assert.deepEqual(
    problemsBeside("cluster: {clusterName: a, network: {}}", [
      "KubeClusterConfig\nclusterName: a\nendpoint: https://a:1",
      "KubeNetworkConfig\ndnsDomain: a.b\npodSubnets: [10.244.0.0/16]\nserviceSubnets: [10.96.0.0/12]",
    ]),
    [
      "1 error 2:11 v1alpha1: cluster.clusterName: cluster.clusterName conflicts with document KubeClusterConfig (Remove cluster.clusterName; the document replaces it)",
      "1 error 2:27 v1alpha1: cluster.network: cluster.network conflicts with document KubeNetworkConfig (Remove cluster.network; the document replaces it)",
    ],
  );
});

Deno.test("documents of 1.14 need each other", () => {
  assert.deepEqual(
    problemsBeside("cluster: {}", [
      "DiscoveryServiceConfig\nname: a\nendpoint: https://a",
      "KubeAPIServerCAConfig",
      "ResolverConfig\nnameservers: [{address: 10.0.0.1, protocol: DoT, tlsServerName: a}, {address: 10.0.0.2}]",
      "ContainerConfig\nname: a\nimage: a@sha256:" + "0".repeat(64) +
      "\ndependsOn: {containers: [b, c]}",
      "ContainerConfig\nname: b\nimage: a@sha256:" + "0".repeat(64) +
      "\ndependsOn: {containers: [a]}",
    ]).map((line) => line.replace(/ \(.*/, "")).toSorted(),
    [
      "1 error 1:1 v1alpha1: Document ResolverConfig has encrypted DNS servers, but host DNS is not enabled",
      '1 error 20:26 v1alpha1: Containers "a" and "b" wait for each other',
      '1 error 20:29 v1alpha1: Container "a" waits for "c", which does not exist',
      '1 error 26:26 v1alpha1: Containers "b" and "a" wait for each other',
      "1 error 2:1 v1alpha1: cluster.id: cluster.id is missing, which the discovery service needs",
      "1 error 2:1 v1alpha1: cluster.secret: cluster.secret is missing, which the discovery service needs",
      "1 error 2:1 v1alpha1: cluster: Encryption of Kubernetes secrets in etcd is not configured",
    ],
  );
});

Deno.test("some documents are for control planes only", () => {
  const text = "machine: {type: worker, ca: {crt: YQ==}}\ncluster: {}\n---\n" +
    "apiVersion: v1alpha1\nkind: KubeCoreDNSConfig\n";
  assert.deepEqual(problems(text), [
    "1 error 1:11 v1alpha1: machine.type: Document KubeCoreDNSConfig is for control planes, and this node is a worker (Remove document KubeCoreDNSConfig)",
  ]);
});

Deno.test("a version says of documents and lists when they came", () => {
  const text = "machine: {type: worker, ca: {crt: YQ==}}\n" +
    "cluster: {controlPlane: {endpoint: https://a:1}, proxy: {extraArgs: {v: [a]}}}\n---\n" +
    "apiVersion: v1alpha1\nkind: KubePrismConfig\nport: 1\n";
  assert.deepEqual(problems(text, { mode: "cloud", osVersion: "1.12" }), [
    "1 error 2:70 v1alpha1: cluster.proxy.extraArgs.v: Version 1.12 does not support lists here (They are supported since 1.13; give one value)",
    "2 error 5:1 KubePrismConfig: kind: Version 1.12 does not support KubePrismConfig (It is supported since 1.14)",
  ]);
});

Deno.test("some documents need no name, as on nodes", () => {
  for (
    const text of [
      "kind: TrustedRootsConfig\ncertificates: a\n",
      "kind: PCIDriverRebindConfig\ntargetDriver: vfio-pci\n",
    ]
  ) assert.deepEqual(problems(`apiVersion: v1alpha1\n${text}`), []);
  assert.equal(problems("apiVersion: v1alpha1\nkind: LinkConfig\n").length, 1);
});

Deno.test("a version says of values when they came", () => {
  const text = "apiVersion: v1alpha1\nkind: VolumeConfig\nname: ETCD\n";
  assert.deepEqual(problems(text, { mode: "cloud", osVersion: "1.13" }), [
    '1 error 3:1 VolumeConfig/ETCD: name: Version 1.13 does not support "ETCD" (It is supported since 1.14)',
  ]);
  assert.deepEqual(problems(text, { mode: "cloud", osVersion: "1.14" }), []);
});

Deno.test("validate: requirements of 1.13 beyond 1.12", () => {
  const text =
    "machine: {type: worker, ca: {crt: YQ==}, features: {hostDNS: {forwardKubeDNSToHost: true}}}\n" +
    "cluster: {controlPlane: {endpoint: https://a:1}}\n";
  assert.deepEqual(problems(text, { mode: "cloud", osVersion: "1.12" }), []);
  assert.deepEqual(problems(text, { mode: "cloud", osVersion: "1.13" }), [
    "1 error 1:63 v1alpha1: machine.features.hostDNS.forwardKubeDNSToHost: forwardKubeDNSToHost is true, but host DNS is not enabled (Set machine.features.hostDNS.enabled to true)",
  ]);
});
