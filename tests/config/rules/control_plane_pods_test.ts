import {
  authorizationRules,
  resourceRules,
} from "../../../config/rules/control_plane_pods.ts";
import { testRules } from "./_rules.ts";

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
      'error cluster.apiServer.extraArgs.authorization-mode: Argument "authorization-mode" is given besides authorizationConfig',
      'error cluster.apiServer.extraArgs.authorization-webhook-version: Argument "authorization-webhook-version" is given besides authorizationConfig',
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
