/** `cluster.apiServer`. */

import { defaultImages } from "../../images.ts";
import { boolean, openText, words } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { field, free, list, nameField, struct } from "../shapes.ts";
import {
  env,
  extraArgs,
  extraVolumes,
  imageField,
  resourcesField,
} from "./control_plane_components.ts";

const podSecurity = {
  apiVersion: "pod-security.admission.config.k8s.io/v1alpha1",
  kind: "PodSecurityConfiguration",
  defaults: {
    "audit": "restricted",
    "audit-version": "latest",
    "enforce": "baseline",
    "enforce-version": "latest",
    "warn": "restricted",
    "warn-version": "latest",
  },
  exemptions: {
    namespaces: ["kube-system"],
    runtimeClasses: [],
    usernames: [],
  },
} as const;

const admissionPlugin: StructShape = struct({
  name: nameField("Name of the plugin", "PodSecurity"),
  configuration: field(free, "Its configuration, in its own format", {
    always: true,
    example: podSecurity,
  }),
});

const webhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  matchConditionSubjectAccessReviewVersion: "v1",
  failurePolicy: "NoOpinion",
  connectionInfo: { type: "InClusterConfig" },
} as const;

const authorizer: StructShape = struct({
  type: field(words(["Node", "RBAC", "Webhook"]), "Kind of the authorizer", {
    always: true,
    required: true,
    example: "Webhook",
  }),
  name: field(openText, "Name of the authorizer", {
    always: true,
    required: true,
    example: "access-service",
  }),
  webhook: field(free, "How the service is asked", { example: webhook }),
});

const accessFields: Fields = {
  certSANs: field(
    list(openText),
    "Further names and addresses in the API server's certificate",
    { example: ["192.0.2.10", "cluster.example.com"] },
  ),
  disablePodSecurityPolicy: field(
    boolean,
    "Pod security policies are not used",
    { optional: true, deprecated: "" },
  ),
  admissionControl: field(
    list(admissionPlugin),
    "Admission plugins and their configuration",
    {
      merge: ["name"],
      example: [{ name: "PodSecurity", configuration: podSecurity }],
    },
  ),
  auditPolicy: field(free, "Which requests are written to the audit log", {
    merge: "replace",
    initial: "metadata of every request",
    example: {
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      rules: [{ level: "Metadata" }],
    },
  }),
};

/** The API server on control planes. */
export const apiServer: StructShape = struct({
  image: imageField(defaultImages.apiServer),
  extraArgs: {
    ...extraArgs,
    examples: [{ value: { "event-ttl": "2h", "profiling": "false" } }],
  },
  extraVolumes,
  env,
  ...accessFields,
  resources: resourcesField,
  authorizationConfig: field(
    list(authorizer),
    "Who decides what users may do, besides Node and RBAC",
    {
      since: "1.9",
      example: [{ type: "Webhook", name: "access-service", webhook }],
    },
  ),
});
