import assert from "node:assert/strict";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { faultText } from "../../config/documents/problem.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { parseContract } from "../../config/generate/contract.ts";
import { machineConfig } from "../../config/generate/machine_config.ts";
import {
  validateDocuments,
  type ValidateOptions,
} from "../../config/validate.ts";
import { someSecrets } from "./generate/_bundle.ts";

/** Errors as `document: text`. */
function errors(text: string, options: ValidateOptions): readonly string[] {
  return validateDocuments(loadDocuments(text, "f"), options)
    .filter(({ level }) => level === "error")
    .map((one) => `${one.document}: ${faultText(one)}`);
}

function faults(document: string, osVersion: OsVersion): readonly string[] {
  const version = osVersion === "1.12" ? "v1.12" : "v1.14";
  const [main] = machineConfig({
    clusterName: "a",
    endpoint: "https://10.0.0.1:6443",
    contract: parseContract(version),
    secrets: someSecrets,
    installDisk: "/dev/sda",
  }, "controlplane");
  assert.ok(main);
  const text = `${document}\n---\n${encodeDocuments([main])}`;
  return errors(text, { mode: "cloud", osVersion })
    .filter((line) => line.startsWith("1: ")).map((line) => line.slice(3));
}

const kind = (name: string, content: string) =>
  `apiVersion: v1alpha1\nkind: ${name}\n${content}`;

const emptyNetworks = ["podSubnets[0]", "serviceSubnets[0]"].map((path) =>
  `${path}: This network is empty (Give a network, or remove it)`
);

/** Refusals of nodes of two versions; they skip elements that are null. */
const elements: readonly (readonly [
  document: string,
  older: readonly string[],
  newer?: readonly string[],
])[] = [
  [kind("ResolverConfig", "nameservers: [{}]"), [], [
    'nameservers[0].address: "address" is missing (Give the address of the DNS server)',
  ]],
  [kind("ResolverConfig", "nameservers: [null]"), []],
  [kind("StaticHostConfig", "name: 10.5.0.2\nhostnames: [null]"), [
    'hostnames: "hostnames" is missing (Give hostnames: Hostnames that resolve to the address)',
  ]],
  [
    kind("BondConfig", "name: b0\nlinks: [null]\nbondMode: 802.3ad"),
    ['links: "links" is missing (Give links: Names or aliases of the member links)'],
  ],
  [
    kind(
      "NetworkRuleConfig",
      "name: a\nportSelector: {ports: [null], protocol: tcp}",
    ),
    ['portSelector.ports: "ports" is missing (Give ports: Ports and port ranges)'],
  ],
  [kind("ExtensionServiceConfig", "name: a\nconfigFiles: [null]"), [
    'Neither "configFiles" nor "environment" is given (Give at least one of them)',
  ]],
  [
    kind("KubeNetworkConfig", 'podSubnets: [""]\nserviceSubnets: [""]'),
    [
      "kind: Version 1.12 does not support KubeNetworkConfig (It is supported since 1.14)",
      ...emptyNetworks,
    ],
    emptyNetworks,
  ],
  [
    kind(
      "UserVolumeConfig",
      "name: a\nprovisioning: {diskSelector: {match: disk.size > 1u}, minSize: 1GB}\nencryption: {provider: luks2, keys: [null, {slot: 0, nodeID: {}}]}",
    ),
    [],
  ],
];

for (const [document, older, newer = older] of elements) {
  Deno.test(`elements without content: ${document.slice(27)}`, () => {
    assert.deepEqual(faults(document, "1.12"), older);
    assert.deepEqual(faults(document, "1.14"), newer);
  });
}

const tags: readonly (readonly [image: string, isVersioned: boolean])[] = [
  ["ghcr.io/siderolabs/kubelet:v1.34.1", true],
  ["reg:5000/kubelet:v1.34.1-fat", true],
  [`a/kubelet:v1.34.1@sha256:${"0".repeat(64)}`, true],
  [`a/kubelet@sha256:${"0".repeat(64)}`, false],
  ["a/kubelet:1.34.1", false],
  ["reg:v1.34.1/kubelet", false],
  ["kubelet", false],
];

for (const [image, isVersioned] of tags) {
  Deno.test(`nodes ${isVersioned ? "read" : "refuse"} the version of ${image}`, () => {
    const text =
      `machine: {type: worker, ca: {crt: YQ==}, kubelet: {image: "${image}"}}\n` +
      "cluster: {controlPlane: {endpoint: https://10.0.0.1:6443}}\n";
    const found = errors(text, { mode: "cloud" });
    assert.deepEqual(
      found,
      isVersioned ? [] : [
        `1: machine.kubelet.image: Image "${image}" has no Kubernetes version as its tag (End it with a tag such as :v1.34.1; a digest may follow)`,
      ],
    );
  });
}
