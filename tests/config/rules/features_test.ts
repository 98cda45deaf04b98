import { podAccessField } from "../../../dialect.ts";
import { featureRules } from "../../../config/rules/features.ts";
import { testRules } from "./_rules.ts";

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
      `error ${access}.enabled: Pods can only use the node API through control planes, and this machine is none`,
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
