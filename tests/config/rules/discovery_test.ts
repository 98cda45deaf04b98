import { discoveryRules } from "../../../config/rules/discovery.ts";
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
