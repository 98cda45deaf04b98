/** `machine.kubelet`. */

import { defaultImages, defaultKubernetes } from "../../images.ts";
import { openText, string, u32 } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { field, flag, free, list, programFlags, struct } from "../shapes.ts";

const idMapping: StructShape = struct({
  containerID: field(u32, "First id in the container", {
    always: true,
    example: 0,
  }),
  hostID: field(u32, "First id on the host", { always: true, example: 100000 }),
  size: field(u32, "Number of ids to map", {
    always: true,
    example: 65536,
  }),
});

const idMappingExample = [
  { value: [{ containerID: 0, hostID: 100000, size: 65536 }] },
];

const mountFields: Fields = {
  destination: field(openText, "Absolute path in the container", {
    always: true,
    example: "/var/mnt/data",
  }),
  type: field(openText, "Mount type", { example: "bind" }),
  source: field(openText, "Path on the host, or name of the mount source", {
    example: "/var/mnt/data",
  }),
  options: field(list(string), "Mount options", {
    example: ["bind", "rshared", "rw"],
  }),
  uidMappings: field(
    list(idMapping),
    "UID mappings from container to host",
    { examples: idMappingExample },
  ),
  gidMappings: field(
    list(idMapping),
    "GID mappings from container to host",
    { examples: idMappingExample },
  ),
};

const nodeIp: StructShape = struct({
  validSubnets: field(
    list(openText),
    "Subnets to choose the node IP from; ! excludes one",
    { example: ["10.0.0.0/8", "!10.0.0.3/32", "2001:db8::/32"] },
  ),
});

/** Settings of the kubelet, the same on control planes and workers. */
export const kubelet: StructShape = struct({
  image: {
    shape: openText,
    summary: "Kubelet image",
    initial: `${defaultImages.kubelet}:v${defaultKubernetes}`,
    examples: [{ value: `${defaultImages.kubelet}:v${defaultKubernetes}` }],
  },
  clusterDNS: field(list(openText), "DNS servers for pods", {
    initial: "the tenth address of each service subnet",
    example: ["10.96.0.10", "169.254.116.108"],
  }),
  extraArgs: field(
    programFlags,
    "Additional kubelet flags, without dashes",
    { example: { "v": "4", "max-pods": "200" } },
  ),
  extraMounts: field(
    list(struct(mountFields)),
    "Additional host paths to mount into the kubelet's container",
    {
      example: [{
        destination: "/var/mnt/data",
        type: "bind",
        source: "/var/mnt/data",
        options: ["bind", "rshared", "rw"],
      }],
    },
  ),
  extraConfig: field(
    free,
    "Additional kubelet configuration (KubeletConfiguration)",
    { example: { serverTLSBootstrap: true, imageGCHighThresholdPercent: 80 } },
  ),
  credentialProviderConfig: field(
    free,
    "Kubelet credential providers for image registries",
    {
      example: {
        apiVersion: "kubelet.config.k8s.io/v1",
        kind: "CredentialProviderConfig",
        providers: [{
          name: "registry-credential-provider",
          apiVersion: "credentialprovider.kubelet.k8s.io/v1",
          matchImages: ["registry.example.com"],
          defaultCacheDuration: "12h",
        }],
      },
    },
  ),
  defaultRuntimeSeccompProfileEnabled: flag(
    "Enables the runtime's default seccomp profile for all containers",
  ),
  registerWithFQDN: flag("Registers the node in Kubernetes by its FQDN"),
  nodeIP: field(nodeIp, "How the node IP is chosen", {
    optional: true,
    example: { validSubnets: ["10.0.0.0/8", "!10.0.0.3/32"] },
  }),
  skipNodeRegistration: flag(
    "Runs the kubelet without an API server, for static pods only",
  ),
  disableManifestsDirectory: flag(
    "Disables static pods from the manifests directory",
  ),
});
