/** `cluster.discovery`, `.etcd`, `.coreDNS`, `.externalCloudProvider`, `.inlineManifests`, `.adminKubeconfig`. */

import { discoveryEndpoint } from "../../../dialect.ts";
import { defaultImages } from "../../default_images.ts";
import {
  duration,
  manifestText,
  openText,
  string,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { certificateAndKey, list, map, struct } from "../shapes.ts";
import { examplePair } from "./example_material.ts";
import { flag } from "./flag.ts";

const discoveryRegistries: StructShape = struct({
  kubernetes: {
    shape: struct({ disabled: flag("Node annotations are not used") }),
    always: true,
    summary: "Discovery by annotations in Kubernetes",
    examples: [{ value: { disabled: true } }],
  },
  service: {
    shape: struct({
      disabled: flag("The service is not used"),
      endpoint: {
        shape: openText,
        summary: "URL of the service",
        initial: discoveryEndpoint,
        examples: [{ value: "https://discovery.example.com/" }],
      },
    }),
    always: true,
    summary: "Discovery by a service on the network, which sees no plain data",
    examples: [{ value: { endpoint: "https://discovery.example.com/" } }],
  },
});

/** How members of the cluster find each other. */
export const discovery: StructShape = struct({
  enabled: flag("Members look for each other"),
  registries: {
    shape: discoveryRegistries,
    always: true,
    summary: "Where members are looked for",
    examples: [{
      value: {
        kubernetes: { disabled: true },
        service: { endpoint: "https://discovery.example.com/" },
      },
    }],
  },
});

/** etcd on control planes. */
export const etcd: StructShape = struct({
  image: {
    shape: openText,
    summary: "Image etcd is started from",
    initial: defaultImages.etcd,
    examples: [{ value: defaultImages.etcd }],
  },
  ca: {
    shape: certificateAndKey,
    always: true,
    optional: true,
    required: true,
    summary: "Authority of etcd's members and clients",
    examples: [{ value: examplePair }],
  },
  extraArgs: {
    shape: map(string),
    summary: "Further flags of etcd, without dashes",
    examples: [{ value: { "quota-backend-bytes": "8589934592" } }],
  },
  subnet: {
    shape: openText,
    summary: "Network of the advertised address",
    deprecated: "cluster.etcd.advertisedSubnets",
  },
  advertisedSubnets: {
    shape: list(openText),
    summary: "Networks of addresses told to others; a leading ! excludes",
    examples: [{ value: ["10.0.0.0/8", "!10.0.0.3/32"] }],
  },
  listenSubnets: {
    shape: list(openText),
    summary: "Networks of addresses listened on; a leading ! excludes",
    initial: "those of advertisedSubnets",
    examples: [{ value: ["10.0.0.0/8"] }],
  },
});

/** The DNS server of the cluster. */
export const coreDns: StructShape = struct({
  disabled: flag("None is installed"),
  image: {
    shape: openText,
    summary: "Image it is started from",
    initial: defaultImages.coreDns,
    examples: [{ value: defaultImages.coreDns }],
  },
});

/** What a cloud provider adds to Kubernetes. */
export const externalCloudProvider: StructShape = struct({
  enabled: flag("Nodes wait for the cloud provider's controller"),
  manifests: {
    shape: list(openText),
    summary: "URLs of the controller's manifests",
    examples: [{ value: ["https://example.com/cloud-controller.yaml"] }],
  },
});

/** One of `inlineManifests`. */
export const inlineManifest: StructShape = struct({
  name: {
    shape: openText,
    always: true,
    required: true,
    summary: "Name, of its own among these",
    examples: [{ value: "namespace-ci" }],
  },
  contents: {
    shape: manifestText,
    always: true,
    summary: "Manifests as text",
    examples: [{
      value: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n",
    }],
  },
});

/** Kubernetes credentials of administrators. */
export const adminKubeconfig: StructShape = struct({
  certLifetime: {
    shape: duration,
    summary: "How long their certificates are valid",
    initial: "8760h",
    examples: [{ value: "24h" }],
  },
});
