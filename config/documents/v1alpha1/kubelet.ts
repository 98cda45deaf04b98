/** `machine.kubelet`. */

import { defaultImages, defaultKubernetes } from "../../images.ts";
import { openText, string, u32 } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { field, flag, free, list, map, struct } from "../shapes.ts";

const idMapping: StructShape = struct({
  containerID: field(u32, "First id inside the container", {
    always: true,
    example: 0,
  }),
  hostID: field(u32, "First id on the node", { always: true, example: 100000 }),
  size: field(u32, "How many ids in a row are mapped", {
    always: true,
    example: 65536,
  }),
});

const idMappingExample = [
  { value: [{ containerID: 0, hostID: 100000, size: 65536 }] },
];

const mountFields: Fields = {
  destination: field(openText, "Absolute path inside the container", {
    always: true,
    example: "/var/mnt/data",
  }),
  type: field(openText, "Kind of the mount", { example: "bind" }),
  source: field(openText, "Path on the node, or name of what is mounted", {
    example: "/var/mnt/data",
  }),
  options: field(list(string), "Options as the mount command takes them", {
    example: ["bind", "rshared", "rw"],
  }),
  uidMappings: field(
    list(idMapping),
    "Users of the container as users of the node",
    { examples: idMappingExample },
  ),
  gidMappings: field(
    list(idMapping),
    "Groups of the container as groups of the node",
    { examples: idMappingExample },
  ),
};

const nodeIp: StructShape = struct({
  validSubnets: field(
    list(openText),
    "Networks the node's address is taken from; a leading ! excludes",
    { example: ["10.0.0.0/8", "!10.0.0.3/32", "2001:db8::/32"] },
  ),
});

/** Settings of the kubelet, the same on control planes and workers. */
export const kubelet: StructShape = struct({
  image: {
    shape: openText,
    summary: "Image the kubelet is started from",
    initial: `${defaultImages.kubelet}:v${defaultKubernetes}`,
    examples: [{ value: `${defaultImages.kubelet}:v${defaultKubernetes}` }],
  },
  clusterDNS: field(list(openText), "DNS servers that pods are given", {
    initial: "the tenth address of every service subnet",
    example: ["10.96.0.10", "169.254.116.108"],
  }),
  extraArgs: field(
    map(string),
    "Further flags of the kubelet, without dashes",
    { example: { "v": "4", "max-pods": "200" } },
  ),
  extraMounts: field(
    list(struct(mountFields)),
    "Folders of the node that the kubelet's container also sees",
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
    "Further settings in the kubelet's own configuration format",
    { example: { serverTLSBootstrap: true, imageGCHighThresholdPercent: 80 } },
  ),
  credentialProviderConfig: field(
    free,
    "Programs that fetch passwords for image registries",
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
    "Containers run under the runtime's seccomp profile",
  ),
  registerWithFQDN: flag("The node's name in Kubernetes includes its domain"),
  nodeIP: field(nodeIp, "How the node's address in Kubernetes is chosen", {
    optional: true,
    example: { validSubnets: ["10.0.0.0/8", "!10.0.0.3/32"] },
  }),
  skipNodeRegistration: flag(
    "The kubelet works without a cluster, for static pods only",
  ),
  disableManifestsDirectory: flag(
    "Static pods come from the configuration only, not from a folder",
  ),
});
