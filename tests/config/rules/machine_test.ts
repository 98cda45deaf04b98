import {
  diskRules,
  featureRules,
  kubeletRules,
  loggingRules,
  registryRules,
} from "../../../config/rules/machine.ts";
import { podAccessField } from "../../../talos.ts";
import { testRules } from "./_rules.ts";

testRules("diskRules", diskRules, [
  [
    "takes a last partition without a size",
    "machine: {disks: [{device: /dev/sdb, partitions: [{size: 5 GB}, {mountpoint: /var/a}]}]}",
    [],
  ],
  ["refuses null", "machine: {disks: [~]}", [
    "error machine.disks[0]: A disk is empty",
  ]],
  [
    "refuses other partitions without a size",
    "machine: {disks: [{device: /dev/sdb, partitions: [{size: 0GB}, ~, {size: 1}]}]}",
    [
      'error machine.disks[0].partitions[0].size: Partition 1 of disk "/dev/sdb" takes the rest of the disk but is not the last',
      'error machine.disks[0].partitions[1]: A partition of disk "/dev/sdb" is empty',
    ],
  ],
]);

testRules("registryRules", registryRules, [
  [
    "takes empty settings",
    "machine: {registries: {mirrors: {a: {}}, config: {a: {}}}}",
    [],
  ],
  [
    "refuses null",
    "machine: {registries: {mirrors: {a: ~}, config: {b: ~}}}",
    [
      'error machine.registries.mirrors.a: Registry "a" is empty under machine.registries.mirrors',
      'error machine.registries.config.b: Registry "b" is empty under machine.registries.config',
    ],
  ],
]);

const place = "machine.logging.destinations[0]";

function destination(text: string): string {
  return `machine: {logging: {destinations: [${text}]}}`;
}

testRules("loggingRules", loggingRules, [
  [
    "takes both protocols",
    destination(
      "{endpoint: 'tcp://node:1', format: json_lines}, {endpoint: 'udp://:514', format: json_lines}",
    ),
    [],
  ],
  ["wants an endpoint and a format", destination("{}"), [
    `error ${place}.endpoint: "endpoint" is missing`,
    `error ${place}.format: A log destination has no format`,
  ]],
  [
    "wants a host",
    destination("{endpoint: 'tcp:///a', format: json_lines}"),
    [`error ${place}.endpoint: Log endpoint "tcp:///a" has no host`],
  ],
  [
    "refuses other protocols and formats",
    destination("{endpoint: 'https://node', format: text}"),
    [
      `error ${place}.endpoint: Log endpoint "https://node" has scheme "https", which is not supported`,
      `error ${place}.format: Log format "text" does not exist`,
    ],
  ],
]);

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
      'error machine.kubelet.nodeIP.validSubnets[1]: Node IP subnet "node" is not valid',
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

const access = `machine.features.${podAccessField}`;

testRules("featureRules", featureRules, [
  ["takes no features", "machine: {}", []],
  ["wants the node's DNS in containers", "machine: {}", [
    'error machine.features.hostDNS.enabled: hostDNS.enabled is not true, which mode "container" needs',
    'error machine.features.hostDNS.forwardKubeDNSToHost: hostDNS.forwardKubeDNSToHost is not true, which mode "container" needs',
  ], "container"],
  [
    "takes the node's DNS in containers",
    "machine: {features: {hostDNS: {enabled: true, forwardKubeDNSToHost: true}}}",
    [],
    "container",
  ],
  [
    "takes pod access on a control plane",
    `machine: {type: controlplane, features: {${podAccessField}: {enabled: true, allowedRoles: ['os:reader', 'os:etcd:backup']}}}`,
    [],
  ],
  [
    "refuses pod access on a worker",
    `machine: {type: worker, features: {${podAccessField}: {enabled: true}}}`,
    [
      `error ${access}.enabled: Pods can only use the node API through control planes, and this node is a worker`,
    ],
  ],
  [
    "refuses unknown roles",
    `machine: {type: init, features: {${podAccessField}: {enabled: true, allowedRoles: ['os:root']}}}`,
    [`error ${access}.allowedRoles[0]: Role "os:root" does not exist`],
  ],
  [
    "does not look at pod access that is off",
    `machine: {type: worker, features: {${podAccessField}: {enabled: false, allowedRoles: [x]}}}`,
    [],
  ],
  [
    "takes a sort algorithm in any case",
    "machine: {features: {nodeAddressSortAlgorithm: V2}}",
    [],
  ],
  [
    "refuses other sort algorithms",
    "machine: {features: {nodeAddressSortAlgorithm: v3}}",
    [
      'error machine.features.nodeAddressSortAlgorithm: Sort algorithm "v3" does not exist',
    ],
  ],
]);
