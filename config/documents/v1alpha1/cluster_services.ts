/** `cluster.discovery`, `.etcd`, `.coreDNS`, `.externalCloudProvider`, `.inlineManifests`, `.adminKubeconfig`. */

import { discoveryEndpoint } from "../../../dialect.ts";
import { defaultImages } from "../../images.ts";
import { duration, manifestText, openText } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import {
  certificateAndKey,
  field,
  flag,
  list,
  programFlags,
  struct,
} from "../shapes.ts";
import { examplePair } from "../example_material.ts";

const discoveryRegistries: StructShape = struct({
  kubernetes: field(
    struct({ disabled: flag("Disables discovery by node annotations") }),
    "Discovery by node annotations in Kubernetes",
    { always: true, example: { disabled: true } },
  ),
  service: field(
    struct({
      disabled: flag("Disables the discovery service"),
      endpoint: field(openText, "URL of the discovery service", {
        initial: discoveryEndpoint,
        example: "https://discovery.example.com/",
      }),
    }),
    "Discovery service, which receives only encrypted data",
    { always: true, example: { endpoint: "https://discovery.example.com/" } },
  ),
});

/** How members of the cluster find each other. */
export const discovery: StructShape = struct({
  enabled: flag("Enables cluster discovery"),
  registries: field(discoveryRegistries, "Discovery registries to use", {
    always: true,
    example: {
      kubernetes: { disabled: true },
      service: { endpoint: "https://discovery.example.com/" },
    },
  }),
});

/** etcd on control planes. */
export const etcd: StructShape = struct({
  image: field(openText, "etcd image", {
    initial: defaultImages.etcd,
    example: defaultImages.etcd,
  }),
  ca: field(certificateAndKey, "CA of etcd members and clients", {
    always: true,
    optional: true,
    required: true,
    example: examplePair,
  }),
  extraArgs: field(programFlags, "Additional etcd flags, without dashes", {
    example: { "quota-backend-bytes": "8589934592" },
  }),
  subnet: field(openText, "Subnet of the address to advertise", {
    deprecated: "cluster.etcd.advertisedSubnets",
  }),
  advertisedSubnets: field(
    list(openText),
    "Subnets of addresses to advertise; ! excludes one",
    { example: ["10.0.0.0/8", "!10.0.0.3/32"] },
  ),
  listenSubnets: field(
    list(openText),
    "Subnets of addresses to listen on; ! excludes one",
    { initial: "same as advertisedSubnets", example: ["10.0.0.0/8"] },
  ),
});

/** The DNS server of the cluster. */
export const coreDns: StructShape = struct({
  disabled: flag("Disables CoreDNS"),
  image: field(openText, "CoreDNS image", {
    initial: defaultImages.coreDns,
    example: defaultImages.coreDns,
  }),
});

/** What a cloud provider adds to Kubernetes. */
export const externalCloudProvider: StructShape = struct({
  enabled: flag("Enables an external cloud provider"),
  manifests: field(
    list(openText),
    "URLs of the cloud controller manager's manifests",
    {
      example: ["https://example.com/cloud-controller.yaml"],
    },
  ),
});

/** One of `inlineManifests`. */
export const inlineManifest: StructShape = struct({
  name: field(openText, "Unique name of the manifest", {
    always: true,
    required: true,
    example: "namespace-ci",
  }),
  contents: field(manifestText, "Contents of the manifest", {
    always: true,
    example: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n",
  }),
});

/** Kubernetes credentials of administrators. */
export const adminKubeconfig: StructShape = struct({
  certLifetime: field(duration, "Lifetime of the client certificate", {
    initial: "8760h",
    example: "24h",
  }),
});
