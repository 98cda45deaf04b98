import { controlPlaneEndpointRules } from "../../../config/rules/control_plane_endpoint.ts";
import { testRules } from "./_rules.ts";

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
      'error cluster.controlPlane.endpoint: Endpoint "https://10.0.0.1:70000" has port 70000, which does not exist',
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
