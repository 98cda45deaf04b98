/** `cluster.discovery`, `.etcd`, `.coreDNS`, `.externalCloudProvider`, `.inlineManifests`, `.adminKubeconfig`. */

import { discoveryEndpoint } from "../../../dialect.ts";
import { defaultImages } from "../../images.ts";
import {
  duration,
  manifestText,
  openText,
  string,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import {
  certificateAndKey,
  field,
  flag,
  list,
  map,
  struct,
} from "../shapes.ts";
import { examplePair } from "../example_material.ts";

const discoveryRegistries: StructShape = struct({
  kubernetes: field(
    struct({ disabled: flag("Node annotations are not used") }),
    "Discovery by annotations in Kubernetes",
    { always: true, example: { disabled: true } },
  ),
  service: field(
    struct({
      disabled: flag("The service is not used"),
      endpoint: field(openText, "URL of the service", {
        initial: discoveryEndpoint,
        example: "https://discovery.example.com/",
      }),
    }),
    "Discovery by a service on the network, which sees no plain data",
    { always: true, example: { endpoint: "https://discovery.example.com/" } },
  ),
});

/** How members of the cluster find each other. */
export const discovery: StructShape = struct({
  enabled: flag("Members look for each other"),
  registries: field(discoveryRegistries, "Where members are looked for", {
    always: true,
    example: {
      kubernetes: { disabled: true },
      service: { endpoint: "https://discovery.example.com/" },
    },
  }),
});

/** etcd on control planes. */
export const etcd: StructShape = struct({
  image: field(openText, "Image etcd is started from", {
    initial: defaultImages.etcd,
    example: defaultImages.etcd,
  }),
  ca: field(certificateAndKey, "Authority of etcd's members and clients", {
    always: true,
    optional: true,
    required: true,
    example: examplePair,
  }),
  extraArgs: field(map(string), "Further flags of etcd, without dashes", {
    example: { "quota-backend-bytes": "8589934592" },
  }),
  subnet: field(openText, "Network of the advertised address", {
    deprecated: "cluster.etcd.advertisedSubnets",
  }),
  advertisedSubnets: field(
    list(openText),
    "Networks of addresses to advertise; a leading ! excludes",
    { example: ["10.0.0.0/8", "!10.0.0.3/32"] },
  ),
  listenSubnets: field(
    list(openText),
    "Networks of addresses listened on; a leading ! excludes",
    { initial: "those of advertisedSubnets", example: ["10.0.0.0/8"] },
  ),
});

/** The DNS server of the cluster. */
export const coreDns: StructShape = struct({
  disabled: flag("None is installed"),
  image: field(openText, "Image it is started from", {
    initial: defaultImages.coreDns,
    example: defaultImages.coreDns,
  }),
});

/** What a cloud provider adds to Kubernetes. */
export const externalCloudProvider: StructShape = struct({
  enabled: flag("Nodes wait for the cloud provider's controller"),
  manifests: field(list(openText), "URLs of the controller's manifests", {
    example: ["https://example.com/cloud-controller.yaml"],
  }),
});

/** One of `inlineManifests`. */
export const inlineManifest: StructShape = struct({
  name: field(openText, "Name, of its own among these", {
    always: true,
    required: true,
    example: "namespace-ci",
  }),
  contents: field(manifestText, "Manifests as text", {
    always: true,
    example: "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n",
  }),
});

/** Kubernetes credentials of administrators. */
export const adminKubeconfig: StructShape = struct({
  certLifetime: field(duration, "How long their certificates are valid", {
    initial: "8760h",
    example: "24h",
  }),
});
