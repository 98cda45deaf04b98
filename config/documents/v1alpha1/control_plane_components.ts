/** `cluster.apiServer`, `.controllerManager`, `.scheduler` and `.proxy`. */

import { defaultImages, defaultKubernetes } from "../../images.ts";
import { boolean, openText, string, words } from "../scalars/scalars.ts";
import type { Field, Fields, StructShape } from "../schema.ts";
import {
  field,
  flag,
  free,
  list,
  map,
  nameField,
  openFree,
  programFlags,
  struct,
} from "../shapes.ts";

const volume: StructShape = struct({
  hostPath: field(openText, "Path on the host", {
    always: true,
    example: "/var/lib/example",
  }),
  mountPath: field(openText, "Path in the pod", {
    always: true,
    example: "/etc/kubernetes/example",
  }),
  readonly: field(boolean, "Mounts the volume read-only", {
    initial: "false",
    example: true,
  }),
});

const resources: StructShape = struct({
  requests: field(openFree, "Resource requests: cpu and memory", {
    example: { cpu: "500m", memory: "1Gi" },
  }),
  limits: field(openFree, "Resource limits: cpu and memory", {
    example: { cpu: 2, memory: "2500Mi" },
  }),
});

/** `image` of a component of Kubernetes; `name` is that of the image, without a tag. */
export function imageField(name: string): Field {
  const image = `${name}:v${defaultKubernetes}`;
  return field(openText, "Container image", {
    initial: image,
    example: image,
  });
}

/** `extraArgs` of a component. */
export const extraArgs: Field = field(
  programFlags,
  "Additional flags, without dashes",
  { example: { v: "4", "feature-gates": "ServerSideApply=true" } },
);

/** `extraVolumes` of a component. */
const extraVolumes: Field = field(
  list(volume),
  "Additional host paths to mount into the pod",
  {
    example: [{
      hostPath: "/var/lib/example",
      mountPath: "/etc/kubernetes/example",
      readonly: true,
    }],
  },
);

/** `env` of a component. */
export const env: Field = field(map(string), "Environment variables", {
  example: { GOMAXPROCS: "4" },
});

/** `resources` of a component. */
export const resourcesField: Field = field(
  resources,
  "Resource requests and limits of the pod",
  {
    optional: true,
    example: {
      requests: { cpu: "500m", memory: "1Gi" },
      limits: { cpu: 2, memory: "2500Mi" },
    },
  },
);

function podFields(image: string): Fields {
  return {
    image: imageField(image),
    extraArgs,
    extraVolumes,
    env,
    resources: resourcesField,
  };
}

/** The controller manager on control planes. */
export const controllerManager: StructShape = struct(
  podFields(defaultImages.controllerManager),
);

/** The scheduler on control planes. */
export const scheduler: StructShape = struct({
  ...podFields(defaultImages.scheduler),
  config: field(
    free,
    "Scheduler configuration (KubeSchedulerConfiguration)",
    {
      example: {
        profiles: [{
          schedulerName: "default-scheduler",
          plugins: { score: { disabled: [{ name: "ImageLocality" }] } },
        }],
      },
    },
  ),
});

/** The proxy on every node. */
export const proxy: StructShape = struct({
  disabled: flag("Disables kube-proxy; the CNI must replace it"),
  image: imageField(defaultImages.proxy),
  mode: field(
    words(["nftables", "iptables", "ipvs"]),
    "Proxy mode",
    { example: "nftables" },
  ),
  extraArgs: {
    ...extraArgs,
    examples: [{ value: { "conntrack-max-per-core": "65536" } }],
  },
});

/** Admission of pods as configurations are generated with it. */
export const podSecurity = {
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
  configuration: field(free, "Configuration of the plugin", {
    always: true,
    example: podSecurity,
  }),
});

/** How a service that decides is asked. */
export const webhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  matchConditionSubjectAccessReviewVersion: "v1",
  failurePolicy: "NoOpinion",
  connectionInfo: { type: "InClusterConfig" },
} as const;

const authorizer: StructShape = struct({
  type: field(words(["Node", "RBAC", "Webhook"]), "Type of the authorizer", {
    always: true,
    required: true,
    example: "Webhook",
  }),
  name: field(openText, "Name of the authorizer", {
    always: true,
    required: true,
    example: "access-service",
  }),
  webhook: field(free, "Webhook configuration", { example: webhook }),
});

const accessFields: Fields = {
  certSANs: field(
    list(openText),
    "Additional names and addresses for the API server's certificate",
    { example: ["192.0.2.10", "cluster.example.com"] },
  ),
  disablePodSecurityPolicy: field(
    boolean,
    "Disables PodSecurityPolicy",
    { optional: true, deprecated: "" },
  ),
  admissionControl: field(
    list(admissionPlugin),
    "Admission plugin configuration",
    {
      merge: ["name"],
      example: [{ name: "PodSecurity", configuration: podSecurity }],
    },
  ),
  auditPolicy: field(free, "Audit policy", {
    merge: "replace",
    initial: "metadata of all requests",
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
    "Authorizers in addition to Node and RBAC",
    {
      since: "1.9",
      example: [{ type: "Webhook", name: "access-service", webhook }],
    },
  ),
});
