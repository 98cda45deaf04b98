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
  listWithGaps,
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
  extraArgs: field(list(assignment), "Additional arguments for flannel", {
    example: ["--iface-can-reach=192.0.2.1"],
  }),
  kubeNetworkPoliciesEnabled: {
    ...flag("Deploys kube-network-policies"),
    since: "1.13",
  },
});

const cni: StructShape = struct({
  name: field(
    words(["flannel", "custom", "none"]),
    "CNI to use",
    { example: "flannel" },
  ),
  urls: field(list(openText), "URLs of the manifests of a custom CNI", {
    example: ["https://example.com/cni.yaml"],
  }),
  flannel: field(flannel, "Flannel settings", {
    optional: true,
    example: { extraArgs: ["--iface-can-reach=192.0.2.1"] },
  }),
});

const clusterNetwork: StructShape = struct({
  cni: field(cni, "CNI settings", {
    optional: true,
    initial: "flannel",
    examples: [
      {
        title: "A CNI installed from manifests",
        value: { name: "custom", urls: ["https://example.com/cni.yaml"] },
      },
      { title: "No CNI; install one later", value: { name: "none" } },
    ],
  }),
  dnsDomain: field(openText, "DNS domain of the cluster", {
    always: true,
    initial: "cluster.local",
    example: "cluster.local",
  }),
  podSubnets: field(
    list(openText),
    "Pod subnets, at most one per IP family",
    {
      always: true,
      merge: "replace",
      initial: "10.244.0.0/16",
      example: ["10.244.0.0/16", "2001:db8:10::/56"],
    },
  ),
  serviceSubnets: field(
    list(openText),
    "Service subnets, at most one per IP family",
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
    "URL of the Kubernetes API for all nodes and users",
    {
      always: true,
      optional: true,
      required: true,
      examples: [
        { value: "https://cluster.example.com:6443" },
        { title: "An IP address", value: "https://192.0.2.10:6443" },
      ],
    },
  ),
  localAPIServerPort: field(
    int,
    "Port of the API server on each control plane node",
    { initial: "6443", example: 443 },
  ),
});

/** Which cluster it is, and its secrets. */
const identityFields: Fields = {
  id: field(openText, "Cluster id, 32 bytes in base64", {
    example: example32Bytes,
  }),
  secret: field(
    string,
    "Secret shared by all cluster members, 32 bytes in base64",
    {
      secret: true,
      example: exampleOther32Bytes,
    },
  ),
  controlPlane: field(controlPlane, "Control plane settings", {
    optional: true,
    example: { endpoint: "https://cluster.example.com:6443" },
  }),
  clusterName: field(openText, "Name of the cluster", {
    example: "production",
  }),
  network: field(clusterNetwork, "Pod and service network settings", {
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
    "Bootstrap token for kubelets to join, as id.secret",
    { secret: true, example: exampleToken },
  ),
  aescbcEncryptionSecret: field(
    string,
    "AES-CBC key for encrypting secrets in etcd, in base64",
    { secret: true, example: example32Bytes },
  ),
  secretboxEncryptionSecret: field(
    string,
    "Secretbox key for encrypting secrets in etcd, in base64; preferred",
    { secret: true, example: example32Bytes },
  ),
};

const caFields: Fields = {
  ca: field(certificateAndKey, "Kubernetes CA; without the key on workers", {
    optional: true,
    example: examplePair,
  }),
  acceptedCAs: field(
    listWithGaps(certificateOnly),
    "Additional CAs that Kubernetes accepts",
    { example: [{ crt: exampleCertificate }] },
  ),
  aggregatorCA: field(
    certificateAndKey,
    "CA of the API aggregation layer",
    { optional: true, example: examplePair },
  ),
  serviceAccount: field(
    keyOnly,
    "Key for signing service account tokens",
    { optional: true, example: { key: exampleKey } },
  ),
};

const componentFields: Fields = {
  apiServer: field(apiServer, "API server settings", {
    optional: true,
    example: { certSANs: ["cluster.example.com"] },
  }),
  controllerManager: field(controllerManager, "Controller manager settings", {
    optional: true,
    example: { extraArgs: { "node-cidr-mask-size": "22" } },
  }),
  proxy: field(proxy, "Settings of kube-proxy", {
    optional: true,
    example: { disabled: true },
  }),
  scheduler: field(scheduler, "Scheduler settings", {
    optional: true,
    example: { extraArgs: { v: "4" } },
  }),
  discovery: field(discovery, "Cluster discovery settings", {
    optional: true,
    example: {
      enabled: true,
      registries: { kubernetes: { disabled: true }, service: {} },
    },
  }),
  etcd: field(etcd, "etcd settings; control planes only", {
    optional: true,
    example: { ca: examplePair, advertisedSubnets: ["10.0.0.0/8"] },
  }),
  coreDNS: field(coreDns, "CoreDNS settings", {
    optional: true,
    example: { disabled: true },
  }),
  externalCloudProvider: field(
    externalCloudProvider,
    "External cloud provider settings",
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
    "URLs of manifests to apply at bootstrap",
    { listed: true, example: ["https://example.com/storage.yaml"] },
  ),
  extraManifestHeaders: field(
    map(string),
    "HTTP headers for fetching these manifests",
    { example: { "X-Tenant": "production" } },
  ),
  inlineManifests: field(
    list(inlineManifest),
    "Inline manifests to apply at bootstrap",
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
    "Admin kubeconfig settings",
    { optional: true, example: { certLifetime: "24h" } },
  ),
};

/** Everything all nodes of a cluster have in common. */
export const cluster: StructShape = struct({
  ...identityFields,
  ...caFields,
  ...componentFields,
  ...manifestFields,
  allowSchedulingOnMasters: field(
    boolean,
    "Allows workloads on control planes",
    { optional: true, deprecated: "cluster.allowSchedulingOnControlPlanes" },
  ),
  allowSchedulingOnControlPlanes: flag("Allows workloads on control planes"),
});
