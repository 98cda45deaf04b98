/** `cluster`. */

import { boolean, int, openText, string, url } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import {
  certificateAndKey,
  certificateOnly,
  keyOnly,
  list,
  map,
  struct,
} from "../shapes.ts";
import { apiServer } from "./api_server.ts";
import { clusterNetwork } from "./cluster_network.ts";
import {
  adminKubeconfig,
  coreDns,
  discovery,
  etcd,
  externalCloudProvider,
  inlineManifest,
} from "./cluster_services.ts";
import {
  controllerManager,
  proxy,
  scheduler,
} from "./control_plane_components.ts";
import {
  example32Bytes,
  exampleCertificate,
  exampleKey,
  exampleOther32Bytes,
  examplePair,
  exampleToken,
} from "./example_material.ts";
import { flag } from "./flag.ts";

const controlPlane: StructShape = struct({
  endpoint: {
    shape: url,
    always: true,
    optional: true,
    required: true,
    summary: "URL at which all nodes and users reach the API servers",
    examples: [
      { value: "https://cluster.example.com:6443" },
      { title: "An address", value: "https://192.0.2.10:6443" },
    ],
  },
  localAPIServerPort: {
    shape: int,
    summary: "Port of the API server on each control plane",
    initial: "6443",
    examples: [{ value: 443 }],
  },
});

/** Which cluster it is, and its secrets. */
const identityFields: Fields = {
  id: {
    shape: openText,
    summary: "Identity of the cluster, 32 bytes in base64",
    examples: [{ value: example32Bytes }],
  },
  secret: {
    shape: string,
    secret: true,
    summary: "Secret shared by all members, 32 bytes in base64",
    examples: [{ value: exampleOther32Bytes }],
  },
  controlPlane: {
    shape: controlPlane,
    always: true,
    optional: true,
    required: true,
    summary: "How the control plane is reached",
    examples: [{ value: { endpoint: "https://cluster.example.com:6443" } }],
  },
  clusterName: {
    shape: openText,
    summary: "Name of the cluster",
    examples: [{ value: "production" }],
  },
  network: {
    shape: clusterNetwork,
    optional: true,
    summary: "The network of pods and services",
    examples: [{
      value: {
        cni: { name: "flannel" },
        dnsDomain: "cluster.local",
        podSubnets: ["10.244.0.0/16"],
        serviceSubnets: ["10.96.0.0/12"],
      },
    }],
  },
  token: {
    shape: string,
    secret: true,
    summary: "Token by which kubelets join, id and secret with a dot between",
    examples: [{ value: exampleToken }],
  },
  aescbcEncryptionSecret: {
    shape: string,
    secret: true,
    summary: "Key that encrypts secrets in etcd, AES-CBC, in base64",
    examples: [{ value: example32Bytes }],
  },
  secretboxEncryptionSecret: {
    shape: string,
    secret: true,
    summary:
      "Key that encrypts secrets in etcd, secretbox, in base64; preferred",
    examples: [{ value: example32Bytes }],
  },
};

const authorityFields: Fields = {
  ca: {
    shape: certificateAndKey,
    optional: true,
    summary: "Authority of Kubernetes; workers have no key",
    examples: [{ value: examplePair }],
  },
  acceptedCAs: {
    shape: list(certificateOnly),
    summary: "Further authorities whose certificates Kubernetes accepts",
    examples: [{ value: [{ crt: exampleCertificate }] }],
  },
  aggregatorCA: {
    shape: certificateAndKey,
    optional: true,
    summary: "Authority of the proxy in front of aggregated API servers",
    examples: [{ value: examplePair }],
  },
  serviceAccount: {
    shape: keyOnly,
    optional: true,
    summary: "Key that signs the tokens of service accounts",
    examples: [{ value: { key: exampleKey } }],
  },
};

const componentFields: Fields = {
  apiServer: {
    shape: apiServer,
    optional: true,
    summary: "The API server",
    examples: [{ value: { certSANs: ["cluster.example.com"] } }],
  },
  controllerManager: {
    shape: controllerManager,
    optional: true,
    summary: "The controller manager",
    examples: [{ value: { extraArgs: { "node-cidr-mask-size": "22" } } }],
  },
  proxy: {
    shape: proxy,
    optional: true,
    summary: "The proxy that directs packets to pods",
    examples: [{ value: { disabled: true } }],
  },
  scheduler: {
    shape: scheduler,
    optional: true,
    summary: "The scheduler",
    examples: [{ value: { extraArgs: { v: "4" } } }],
  },
  discovery: {
    shape: discovery,
    optional: true,
    summary: "How members of the cluster find each other",
    examples: [{
      value: {
        enabled: true,
        registries: { kubernetes: { disabled: true }, service: {} },
      },
    }],
  },
  etcd: {
    shape: etcd,
    optional: true,
    summary: "etcd; control planes only",
    examples: [{
      value: { ca: examplePair, advertisedSubnets: ["10.0.0.0/8"] },
    }],
  },
  coreDNS: {
    shape: coreDns,
    optional: true,
    summary: "The DNS server of the cluster",
    examples: [{ value: { disabled: true } }],
  },
  externalCloudProvider: {
    shape: externalCloudProvider,
    optional: true,
    summary: "What a cloud provider adds to Kubernetes",
    examples: [{
      value: {
        enabled: true,
        manifests: ["https://example.com/cloud-controller.yaml"],
      },
    }],
  },
};

const manifestFields: Fields = {
  extraManifests: {
    shape: list(openText),
    listed: true,
    summary: "URLs of manifests applied when the cluster starts",
    examples: [{ value: ["https://example.com/storage.yaml"] }],
  },
  extraManifestHeaders: {
    shape: map(string),
    summary: "Headers of the requests for these manifests",
    examples: [{ value: { "X-Tenant": "production" } }],
  },
  inlineManifests: {
    shape: list(inlineManifest),
    listed: true,
    summary: "Manifests applied when the cluster starts, as text",
    examples: [{
      value: [{
        name: "namespace-ci",
        contents: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n",
      }],
    }],
  },
  adminKubeconfig: {
    shape: adminKubeconfig,
    optional: true,
    summary: "Kubernetes credentials of administrators",
    examples: [{ value: { certLifetime: "24h" } }],
  },
};

/** Everything all nodes of a cluster have in common. */
export const cluster: StructShape = struct({
  ...identityFields,
  ...authorityFields,
  ...componentFields,
  ...manifestFields,
  allowSchedulingOnMasters: {
    shape: boolean,
    optional: true,
    summary: "Control planes also run ordinary pods",
    deprecated: "cluster.allowSchedulingOnControlPlanes",
  },
  allowSchedulingOnControlPlanes: flag("Control planes also run ordinary pods"),
});
