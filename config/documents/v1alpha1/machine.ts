/** `machine`. */

import { defaultImages } from "../../images.ts";
import {
  exampleCertificate,
  examplePair,
  exampleToken,
} from "../example_material.ts";
import { base64, openText, string, words } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import {
  certificateAndKey,
  certificateOnly,
  field,
  flag,
  free,
  list,
  map,
  struct,
} from "../shapes.ts";
import { features } from "./features.ts";
import {
  disk,
  diskEncryption,
  file,
  kernel,
  logging,
  seccompProfile,
  time,
  udev,
} from "./host.ts";
import { install } from "./install.ts";
import { kubelet } from "./kubelet.ts";
import { machineNetwork } from "./machine_network.ts";

const controlPlane: StructShape = struct({
  controllerManager: field(
    struct({
      disabled: flag("No controller manager runs on this node"),
    }),
    "The controller manager on this node",
    { optional: true, example: { disabled: true } },
  ),
  scheduler: field(
    struct({ disabled: flag("No scheduler runs on this node") }),
    "The scheduler on this node",
    { optional: true, example: { disabled: true } },
  ),
});

/** Who the node is, and whom it trusts. */
const identityFields: Fields = {
  type: field(
    words(["controlplane", "worker", "init"]),
    "What the node is in the cluster",
    { always: true, initial: "worker", example: "controlplane" },
  ),
  token: field(string, "Shared secret by which a worker gets its certificate", {
    always: true,
    secret: true,
    example: exampleToken,
  }),
  ca: field(
    certificateAndKey,
    "Authority of the node API; workers have no key",
    { optional: true, example: examplePair },
  ),
  acceptedCAs: field(
    list(certificateOnly),
    "Further authorities whose certificates the node API accepts",
    { example: [{ crt: exampleCertificate }] },
  ),
  certSANs: field(
    list(openText),
    "Further names and addresses in the node API's certificate",
    { always: true, example: ["192.0.2.10", "node1.example.com"] },
  ),
  controlPlane: field(
    controlPlane,
    "Which control plane components this node leaves out",
    {
      optional: true,
      example: {
        controllerManager: { disabled: true },
        scheduler: { disabled: true },
      },
    },
  ),
};

const mirror: StructShape = struct({
  endpoints: field(
    list(openText),
    "URLs that are asked in turn instead of the registry",
    { always: true },
  ),
  overridePath: flag("The URLs hold the whole path, so none is added"),
  skipFallback: {
    ...flag("The registry itself is not asked when all mirrors fail"),
    since: "1.9",
  },
});

const tls: StructShape = struct({
  clientIdentity: field(
    certificateAndKey,
    "Certificate the node shows to the registry",
    { optional: true },
  ),
  ca: field(
    base64,
    "Authorities trusted besides the known ones, PEM in base64",
    { merge: "replace" },
  ),
  insecureSkipVerify: flag("Any certificate of the registry is accepted"),
});

const auth: StructShape = struct({
  username: field(openText, "User at the registry"),
  password: field(string, "Password of that user", { secret: true }),
  auth: field(string, "User and password, joined by a colon, in base64", {
    secret: true,
  }),
  identityToken: field(string, "Token used instead of user and password", {
    secret: true,
  }),
});

const registry: StructShape = struct({
  tls: field(tls, "How the connection is secured", { optional: true }),
  auth: field(auth, "Who the node is for the registry", { optional: true }),
});

/** Where images come from; documents of their own have taken over. */
const registries: StructShape = struct({
  mirrors: field(
    map(mirror),
    "Mirrors by the host name of the registry they replace",
  ),
  config: field(
    map(registry),
    "Security and passwords by the host name of the registry",
  ),
});

/** What Kubernetes needs on the node. */
const podFields: Fields = {
  kubelet: field(kubelet, "The kubelet", {
    optional: true,
    example: {
      extraArgs: { "max-pods": "200" },
      nodeIP: { validSubnets: ["10.0.0.0/8"] },
    },
  }),
  pods: field(list(free), "Pods that the kubelet runs without the API server", {
    example: [{
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "proxy" },
      spec: {
        containers: [{
          name: "proxy",
          image: "registry.example.com/proxy:1.0",
        }],
      },
    }],
  }),
};

/** Network, disks, files. */
const systemFields: Fields = {
  network: field(machineNetwork, "The node's network", {
    optional: true,
    example: { kubespan: { enabled: true } },
  }),
  disks: field(list(disk), "Further disks, their partitions and mounts", {
    deprecated: "UserVolumeConfig",
  }),
  install: field(install, "How the system is put on a disk", {
    optional: true,
    example: { disk: "/dev/sda", image: defaultImages.installer, wipe: false },
  }),
  files: field(list(file), "Files written at boot", {
    example: [{
      content: "server = 192.0.2.53\n",
      permissions: 0o644,
      path: "/var/etc/example.conf",
      op: "create",
    }],
  }),
  env: field(
    map(string),
    "Environment of the node's services, proxies among them",
    {
      example: {
        https_proxy: "http://proxy.example.com:3128",
        no_proxy: "10.0.0.0/8,example.com",
      },
    },
  ),
  time: field(time, "Where the time comes from", {
    optional: true,
    deprecated: "TimeSyncConfig",
  }),
  sysctls: field(map(openText), "Kernel parameters below /proc/sys", {
    example: { "net.ipv4.ip_forward": "1" },
  }),
  sysfs: field(
    map(openText),
    "Values written below /sys, dots or slashes in between",
    {
      example: {
        "devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance",
      },
    },
  ),
  registries: field(registries, "Mirrors and passwords of image registries", {
    deprecated: "RegistryMirrorConfig",
  }),
  systemDiskEncryption: field(
    diskEncryption,
    "Encryption of the system's partitions",
    { optional: true, deprecated: "VolumeConfig" },
  ),
};

/** What can be switched and tuned. */
const tuningFields: Fields = {
  features: field(features, "Parts of the system that can be switched", {
    optional: true,
    example: {
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: 7445 },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    },
  }),
  udev: field(udev, "Rules for devices", {
    optional: true,
    example: { rules: ['SUBSYSTEM=="drm", KERNEL=="renderD*", MODE="0660"'] },
  }),
  logging: field(logging, "Where logs of services are sent", {
    optional: true,
    example: {
      destinations: [
        { endpoint: "udp://192.0.2.10:5514", format: "json_lines" },
      ],
    },
  }),
  kernel: field(kernel, "The kernel", {
    optional: true,
    example: { modules: [{ name: "nbd" }] },
  }),
  seccompProfiles: field(
    list(seccompProfile),
    "Profiles that limit the system calls of containers",
    {
      listed: true,
      example: [{
        name: "log-all.json",
        value: { defaultAction: "SCMP_ACT_LOG" },
      }],
    },
  ),
  baseRuntimeSpecOverrides: field(
    free,
    "Changes to what the runtime gives every container",
    {
      since: "1.9",
      example: {
        process: {
          rlimits: [{ type: "RLIMIT_NOFILE", hard: 65536, soft: 65536 }],
        },
      },
    },
  ),
  nodeLabels: field(map(openText), "Labels of the node in Kubernetes", {
    example: { "topology.kubernetes.io/zone": "north" },
  }),
  nodeAnnotations: field(map(string), "Annotations of the node in Kubernetes", {
    example: { "example.com/rack": "17" },
  }),
  nodeTaints: field(
    map(openText),
    "Taints of the node in Kubernetes, as effect or value:effect",
    { example: { "example.com/dedicated": "storage:NoSchedule" } },
  ),
};

/** Everything about one node. */
export const machine: StructShape = struct({
  ...identityFields,
  ...podFields,
  ...systemFields,
  ...tuningFields,
});
