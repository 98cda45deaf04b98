import { kubeletRules } from "../../../config/rules/kubelet.ts";
import { testRules } from "./_rules.ts";

testRules("kubeletRules", kubeletRules, [
  [
    "takes filters and settings",
    "machine: {kubelet: {nodeIP: {validSubnets: ['!10.0.0.0/8', 'fd00::1']}, extraConfig: {maxPods: 5}}}",
    [],
  ],
  [
    "refuses wrong filters",
    "machine: {kubelet: {nodeIP: {validSubnets: [10.0.0.0/8, node]}}}",
    [
      'error machine.kubelet.nodeIP.validSubnets[1]: Subnet "node" of the node\'s address is not valid',
    ],
  ],
  ...[
    "apiVersion",
    "authentication",
    "authorization",
    "cgroupRoot",
    "kind",
    "kubeletCgroups",
    "port",
    "protectKernelDefaults",
    "resolvConf",
    "rotateCertificates",
    "seccompDefault",
    "staticPodPath",
    "systemCgroups",
  ].map((name) =>
    [
      `refuses ${name}`,
      `machine: {kubelet: {extraConfig: {${name}: ~}}}`,
      [
        `error machine.kubelet.extraConfig.${name}: Kubelet setting "${name}" cannot be changed`,
      ],
    ] as const
  ),
]);
