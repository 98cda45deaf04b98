/** `cluster.apiServer`. */

import { defaultImages } from "../../default_images.ts";
import { boolean, openText, words } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { free, list, struct } from "../shapes.ts";
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
  name: {
    shape: openText,
    always: true,
    summary: "Name of the plugin",
    examples: [{ value: "PodSecurity" }],
  },
  configuration: {
    shape: free,
    always: true,
    summary: "Its configuration, in its own format",
    examples: [{ value: podSecurity }],
  },
});

const webhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  matchConditionSubjectAccessReviewVersion: "v1",
  failurePolicy: "NoOpinion",
  connectionInfo: { type: "InClusterConfig" },
} as const;

const authorizer: StructShape = struct({
  type: {
    shape: words(["Node", "RBAC", "Webhook"]),
    always: true,
    required: true,
    summary: "Kind of the authorizer",
    examples: [{ value: "Webhook" }],
  },
  name: {
    shape: openText,
    always: true,
    required: true,
    summary: "Name of the authorizer",
    examples: [{ value: "access-service" }],
  },
  webhook: {
    shape: free,
    summary: "How the service is asked",
    examples: [{ value: webhook }],
  },
});

const accessFields: Fields = {
  certSANs: {
    shape: list(openText),
    summary: "Further names and addresses in the API server's certificate",
    examples: [{ value: ["192.0.2.10", "cluster.example.com"] }],
  },
  disablePodSecurityPolicy: {
    shape: boolean,
    optional: true,
    summary: "Pod security policies are not used",
    deprecated: "",
  },
  admissionControl: {
    shape: list(admissionPlugin),
    merge: ["name"],
    summary: "Admission plugins and their configuration",
    examples: [{
      value: [{ name: "PodSecurity", configuration: podSecurity }],
    }],
  },
  auditPolicy: {
    shape: free,
    merge: "replace",
    summary: "Which requests are written to the audit log",
    initial: "metadata of every request",
    examples: [{
      value: {
        apiVersion: "audit.k8s.io/v1",
        kind: "Policy",
        rules: [{ level: "Metadata" }],
      },
    }],
  },
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
  authorizationConfig: {
    shape: list(authorizer),
    since: "1.9",
    summary: "Who decides what users may do, besides Node and RBAC",
    examples: [{
      value: [{ type: "Webhook", name: "access-service", webhook }],
    }],
  },
});
