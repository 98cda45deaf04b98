import { cniRules } from "../../../config/rules/cni.ts";
import { testRules } from "./_rules.ts";

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
    'error cluster.network.cni.name: Pod network "cilium" does not exist',
  ]],
  ["wants a name", withCni("{}"), [
    "error cluster.network.cni.name: The pod network has no name",
  ]],
  ["looks at control planes only", withCni("{name: cilium}", "worker"), []],
  ["refuses manifests for flannel", withCni("{name: flannel, urls: [x]}"), [
    'error cluster.network.cni.urls: Manifests are given for pod network "flannel", which has none of its own',
  ]],
  [
    "refuses manifests and arguments for none",
    withCni("{name: none, urls: [x], flannel: {extraArgs: [--x]}}"),
    [
      'error cluster.network.cni.flannel.extraArgs: Arguments of flannel are given for pod network "none"',
      'error cluster.network.cni.urls: Manifests are given for pod network "none", which has none of its own',
    ],
  ],
  [
    "refuses arguments of flannel for custom, and warns of no manifests",
    withCni("{name: custom, flannel: {extraArgs: [--x]}}"),
    [
      'error cluster.network.cni.flannel.extraArgs: Arguments of flannel are given for pod network "custom"',
      'warning cluster.network.cni.urls: Pod network "custom" has no manifests',
    ],
  ],
  [
    "refuses manifests that are no URL",
    withCni("{name: custom, urls: ['https://a/b', manifest.yaml]}"),
    [
      'error cluster.network.cni.urls[1]: Manifest URL "manifest.yaml" has no host',
    ],
  ],
]);
