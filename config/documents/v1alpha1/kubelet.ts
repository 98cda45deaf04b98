/** `machine.kubelet`. */

import { defaultImages, defaultKubernetes } from "../../default_images.ts";
import { openText, string, u32 } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { free, list, map, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const idMapping: StructShape = struct({
  containerID: {
    shape: u32,
    always: true,
    summary: "First id inside the container",
    examples: [{ value: 0 }],
  },
  hostID: {
    shape: u32,
    always: true,
    summary: "First id on the node",
    examples: [{ value: 100000 }],
  },
  size: {
    shape: u32,
    always: true,
    summary: "How many ids in a row are mapped",
    examples: [{ value: 65536 }],
  },
});

const idMappingExample = [
  { value: [{ containerID: 0, hostID: 100000, size: 65536 }] },
];

const mountFields: Fields = {
  destination: {
    shape: openText,
    always: true,
    summary: "Absolute path inside the container",
    examples: [{ value: "/var/mnt/data" }],
  },
  type: {
    shape: openText,
    summary: "Kind of the mount",
    examples: [{ value: "bind" }],
  },
  source: {
    shape: openText,
    summary: "Path on the node, or name of what is mounted",
    examples: [{ value: "/var/mnt/data" }],
  },
  options: {
    shape: list(string),
    summary: "Options as the mount command takes them",
    examples: [{ value: ["bind", "rshared", "rw"] }],
  },
  uidMappings: {
    shape: list(idMapping),
    summary: "Users of the container as users of the node",
    examples: idMappingExample,
  },
  gidMappings: {
    shape: list(idMapping),
    summary: "Groups of the container as groups of the node",
    examples: idMappingExample,
  },
};

const nodeIp: StructShape = struct({
  validSubnets: {
    shape: list(openText),
    summary: "Networks the node's address is taken from; a leading ! excludes",
    examples: [{ value: ["10.0.0.0/8", "!10.0.0.3/32", "2001:db8::/32"] }],
  },
});

/** Settings of the kubelet, the same on control planes and workers. */
export const kubelet: StructShape = struct({
  image: {
    shape: openText,
    summary: "Image the kubelet is started from",
    initial: `${defaultImages.kubelet}:v${defaultKubernetes}`,
    examples: [{ value: `${defaultImages.kubelet}:v${defaultKubernetes}` }],
  },
  clusterDNS: {
    shape: list(openText),
    summary: "DNS servers that pods are given",
    initial: "the tenth address of every service subnet",
    examples: [{ value: ["10.96.0.10", "169.254.116.108"] }],
  },
  extraArgs: {
    shape: map(string),
    summary: "Further flags of the kubelet, without dashes",
    examples: [{ value: { "v": "4", "max-pods": "200" } }],
  },
  extraMounts: {
    shape: list(struct(mountFields)),
    summary: "Folders of the node that the kubelet's container also sees",
    examples: [{
      value: [{
        destination: "/var/mnt/data",
        type: "bind",
        source: "/var/mnt/data",
        options: ["bind", "rshared", "rw"],
      }],
    }],
  },
  extraConfig: {
    shape: free,
    summary: "Further settings in the kubelet's own configuration format",
    examples: [{
      value: { serverTLSBootstrap: true, imageGCHighThresholdPercent: 80 },
    }],
  },
  credentialProviderConfig: {
    shape: free,
    summary: "Programs that fetch passwords for image registries",
    examples: [{
      value: {
        apiVersion: "kubelet.config.k8s.io/v1",
        kind: "CredentialProviderConfig",
        providers: [{
          name: "registry-credential-provider",
          apiVersion: "credentialprovider.kubelet.k8s.io/v1",
          matchImages: ["registry.example.com"],
          defaultCacheDuration: "12h",
        }],
      },
    }],
  },
  defaultRuntimeSeccompProfileEnabled: flag(
    "Containers run under the runtime's seccomp profile",
  ),
  registerWithFQDN: flag("The node's name in Kubernetes includes its domain"),
  nodeIP: {
    shape: nodeIp,
    optional: true,
    summary: "How the node's address in Kubernetes is chosen",
    examples: [{ value: { validSubnets: ["10.0.0.0/8", "!10.0.0.3/32"] } }],
  },
  skipNodeRegistration: flag(
    "The kubelet works without a cluster, for static pods only",
  ),
  disableManifestsDirectory: flag(
    "Static pods come from the configuration only, not from a folder",
  ),
});
