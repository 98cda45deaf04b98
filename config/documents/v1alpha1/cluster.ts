/** `cluster`. */

import {
  example32Bytes,
  exampleCertificate,
  exampleKey,
  exampleOther32Bytes,
  examplePair,
  exampleToken,
} from "../example_material.ts";
import {
  assignment,
  boolean,
  int,
  openText,
  string,
  url,
  words,
} from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import {
  certificateAndKey,
  certificateOnly,
  field,
  flag,
  keyOnly,
  list,
  map,
  struct,
} from "../shapes.ts";
import {
  adminKubeconfig,
  coreDns,
  discovery,
  etcd,
  externalCloudProvider,
  inlineManifest,
} from "./cluster_services.ts";
import {
  apiServer,
  controllerManager,
  proxy,
  scheduler,
} from "./control_plane_components.ts";

const flannel: StructShape = struct({
  extraArgs: field(list(assignment), "Further arguments of flannel", {
    example: ["--iface-can-reach=192.0.2.1"],
  }),
});

const cni: StructShape = struct({
  name: field(
    words(["flannel", "custom", "none"]),
    "Which plugin connects pods",
    { example: "flannel" },
  ),
  urls: field(list(openText), "Manifests of a custom plugin", {
    example: ["https://example.com/cni.yaml"],
  }),
  flannel: field(flannel, "Settings of flannel", {
    optional: true,
    example: { extraArgs: ["--iface-can-reach=192.0.2.1"] },
  }),
});

/** The network of pods and services. */
const clusterNetwork: StructShape = struct({
  cni: field(cni, "The plugin that connects pods", {
    optional: true,
    initial: "flannel",
    examples: [
      {
        title: "A plugin from its manifests",
        value: { name: "custom", urls: ["https://example.com/cni.yaml"] },
      },
      { title: "None; to be installed later", value: { name: "none" } },
    ],
  }),
  dnsDomain: field(openText, "Domain of the names of pods and services", {
    always: true,
    initial: "cluster.local",
    example: "cluster.local",
  }),
  podSubnets: field(
    list(openText),
    "Networks of pods, at most one for each version of IP",
    {
      always: true,
      merge: "replace",
      initial: "10.244.0.0/16",
      example: ["10.244.0.0/16", "2001:db8:10::/56"],
    },
  ),
  serviceSubnets: field(
    list(openText),
    "Networks of services, at most one for each version of IP",
    {
      always: true,
      merge: "replace",
      initial: "10.96.0.0/12",
      example: ["10.96.0.0/12", "2001:db8:20::/112"],
    },
  ),
});

const controlPlane: StructShape = struct({
  endpoint: field(
    url,
    "URL at which all nodes and users reach the API servers",
    {
      always: true,
      optional: true,
      required: true,
      examples: [
        { value: "https://cluster.example.com:6443" },
        { title: "An address", value: "https://192.0.2.10:6443" },
      ],
    },
  ),
  localAPIServerPort: field(
    int,
    "Port of the API server on each control plane",
    { initial: "6443", example: 443 },
  ),
});

/** Which cluster it is, and its secrets. */
const identityFields: Fields = {
  id: field(openText, "Identity of the cluster, 32 bytes in base64", {
    example: example32Bytes,
  }),
  secret: field(string, "Secret shared by all members, 32 bytes in base64", {
    secret: true,
    example: exampleOther32Bytes,
  }),
  controlPlane: field(controlPlane, "How the control plane is reached", {
    always: true,
    optional: true,
    required: true,
    example: { endpoint: "https://cluster.example.com:6443" },
  }),
  clusterName: field(openText, "Name of the cluster", {
    example: "production",
  }),
  network: field(clusterNetwork, "The network of pods and services", {
    optional: true,
    example: {
      cni: { name: "flannel" },
      dnsDomain: "cluster.local",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
    },
  }),
  token: field(
    string,
    "Token by which kubelets join, id and secret with a dot between",
    { secret: true, example: exampleToken },
  ),
  aescbcEncryptionSecret: field(
    string,
    "Key that encrypts secrets in etcd, AES-CBC, in base64",
    { secret: true, example: example32Bytes },
  ),
  secretboxEncryptionSecret: field(
    string,
    "Key that encrypts secrets in etcd, secretbox, in base64; preferred",
    { secret: true, example: example32Bytes },
  ),
};

const authorityFields: Fields = {
  ca: field(certificateAndKey, "Authority of Kubernetes; workers have no key", {
    optional: true,
    example: examplePair,
  }),
  acceptedCAs: field(
    list(certificateOnly),
    "Further authorities whose certificates Kubernetes accepts",
    { example: [{ crt: exampleCertificate }] },
  ),
  aggregatorCA: field(
    certificateAndKey,
    "Authority of the proxy in front of aggregated API servers",
    { optional: true, example: examplePair },
  ),
  serviceAccount: field(
    keyOnly,
    "Key that signs the tokens of service accounts",
    { optional: true, example: { key: exampleKey } },
  ),
};

const componentFields: Fields = {
  apiServer: field(apiServer, "The API server", {
    optional: true,
    example: { certSANs: ["cluster.example.com"] },
  }),
  controllerManager: field(controllerManager, "The controller manager", {
    optional: true,
    example: { extraArgs: { "node-cidr-mask-size": "22" } },
  }),
  proxy: field(proxy, "The proxy that directs packets to pods", {
    optional: true,
    example: { disabled: true },
  }),
  scheduler: field(scheduler, "The scheduler", {
    optional: true,
    example: { extraArgs: { v: "4" } },
  }),
  discovery: field(discovery, "How members of the cluster find each other", {
    optional: true,
    example: {
      enabled: true,
      registries: { kubernetes: { disabled: true }, service: {} },
    },
  }),
  etcd: field(etcd, "etcd; control planes only", {
    optional: true,
    example: { ca: examplePair, advertisedSubnets: ["10.0.0.0/8"] },
  }),
  coreDNS: field(coreDns, "The DNS server of the cluster", {
    optional: true,
    example: { disabled: true },
  }),
  externalCloudProvider: field(
    externalCloudProvider,
    "What a cloud provider adds to Kubernetes",
    {
      optional: true,
      example: {
        enabled: true,
        manifests: ["https://example.com/cloud-controller.yaml"],
      },
    },
  ),
};

const manifestFields: Fields = {
  extraManifests: field(
    list(openText),
    "URLs of manifests applied when the cluster starts",
    { listed: true, example: ["https://example.com/storage.yaml"] },
  ),
  extraManifestHeaders: field(
    map(string),
    "Headers of the requests for these manifests",
    { example: { "X-Tenant": "production" } },
  ),
  inlineManifests: field(
    list(inlineManifest),
    "Manifests applied when the cluster starts, as text",
    {
      listed: true,
      example: [{
        name: "namespace-ci",
        contents: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n",
      }],
    },
  ),
  adminKubeconfig: field(
    adminKubeconfig,
    "Kubernetes credentials of administrators",
    { optional: true, example: { certLifetime: "24h" } },
  ),
};

/** Everything all nodes of a cluster have in common. */
export const cluster: StructShape = struct({
  ...identityFields,
  ...authorityFields,
  ...componentFields,
  ...manifestFields,
  allowSchedulingOnMasters: field(
    boolean,
    "Control planes also run ordinary pods",
    { optional: true, deprecated: "cluster.allowSchedulingOnControlPlanes" },
  ),
  allowSchedulingOnControlPlanes: flag("Control planes also run ordinary pods"),
});
