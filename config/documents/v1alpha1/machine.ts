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
  listWithGaps,
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
      disabled: flag("Disables the controller manager on this node"),
    }),
    "Controller manager on this node",
    { optional: true, example: { disabled: true } },
  ),
  scheduler: field(
    struct({ disabled: flag("Disables the scheduler on this node") }),
    "Scheduler on this node",
    { optional: true, example: { disabled: true } },
  ),
});

const identityFields: Fields = {
  type: field(
    words(["controlplane", "worker", "init"]),
    "Machine type of the node",
    { always: true, initial: "worker", example: "controlplane" },
  ),
  token: field(string, "Token for joining the cluster, shared by all nodes", {
    always: true,
    secret: true,
    example: exampleToken,
  }),
  ca: field(
    certificateAndKey,
    "CA of the node API; without the key on workers",
    { optional: true, example: examplePair },
  ),
  acceptedCAs: field(
    listWithGaps(certificateOnly),
    "Additional CAs that the node API accepts",
    { example: [{ crt: exampleCertificate }] },
  ),
  certSANs: field(
    list(openText),
    "Additional names and addresses for the node API's certificate",
    { always: true, example: ["192.0.2.10", "node1.example.com"] },
  ),
  controlPlane: field(
    controlPlane,
    "Control plane components to disable on this node",
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
    "URLs of mirrors, in the order they are tried",
    { always: true },
  ),
  overridePath: flag(
    "Uses the URLs' paths unchanged instead of appending to them",
  ),
  skipFallback: {
    ...flag("Skips the registry itself if all mirrors fail"),
    since: "1.9",
  },
});

const tls: StructShape = struct({
  clientIdentity: field(
    certificateAndKey,
    "Client certificate for mutual TLS",
    { optional: true },
  ),
  ca: field(
    base64,
    "CA certificates to trust in addition to the system's, base64-encoded PEM",
    { merge: "replace" },
  ),
  insecureSkipVerify: flag("Skips verification of the registry's certificate"),
});

const auth: StructShape = struct({
  username: field(openText, "Username"),
  password: field(string, "Password", { secret: true }),
  auth: field(string, "Username and password joined by a colon, in base64", {
    secret: true,
  }),
  identityToken: field(
    string,
    "Identity token, used instead of username and password",
    {
      secret: true,
    },
  ),
});

const registry: StructShape = struct({
  tls: field(tls, "TLS settings", { optional: true }),
  auth: field(auth, "Credentials", { optional: true }),
});

/** Where images come from; documents of their own have taken over. */
const registries: StructShape = struct({
  mirrors: field(
    map(mirror),
    "Mirrors, by the hostname of the registry",
  ),
  config: field(
    map(registry),
    "TLS settings and credentials, by the hostname of the registry",
  ),
});

const podFields: Fields = {
  kubelet: field(kubelet, "Kubelet settings", {
    optional: true,
    example: {
      extraArgs: { "max-pods": "200" },
      nodeIP: { validSubnets: ["10.0.0.0/8"] },
    },
  }),
  pods: field(list(free), "Static pods to run on the node", {
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

const systemFields: Fields = {
  network: field(machineNetwork, "Network settings", {
    optional: true,
    example: { kubespan: { enabled: true } },
  }),
  disks: field(listWithGaps(disk), "Additional disks to partition and mount", {
    deprecated: "UserVolumeConfig",
  }),
  install: field(install, "Installation settings", {
    optional: true,
    example: { disk: "/dev/sda", image: defaultImages.installer, wipe: false },
  }),
  files: field(listWithGaps(file), "Files to write at boot", {
    example: [{
      content: "server = 192.0.2.53\n",
      permissions: 0o644,
      path: "/var/etc/example.conf",
      op: "create",
    }],
  }),
  env: field(
    map(string),
    "Environment variables of system services, such as proxies",
    {
      example: {
        https_proxy: "http://proxy.example.com:3128",
        no_proxy: "10.0.0.0/8,example.com",
      },
    },
  ),
  time: field(time, "Time synchronization settings", {
    optional: true,
    deprecated: "TimeSyncConfig",
  }),
  sysctls: field(map(openText), "Kernel parameters (sysctls) to set", {
    example: { "net.ipv4.ip_forward": "1" },
  }),
  sysfs: field(
    map(openText),
    "Values to set in sysfs; keys use dots or slashes",
    {
      example: {
        "devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance",
      },
    },
  ),
  registries: field(
    registries,
    "Image registry mirrors, TLS settings and credentials",
    {
      deprecated: "RegistryMirrorConfig",
    },
  ),
  systemDiskEncryption: field(
    diskEncryption,
    "Encryption of the system partitions",
    { optional: true, deprecated: "VolumeConfig" },
  ),
};

const tuningFields: Fields = {
  features: field(features, "Features to enable or disable", {
    optional: true,
    example: {
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: 7445 },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    },
  }),
  udev: field(udev, "Settings of udev", {
    optional: true,
    example: { rules: ['SUBSYSTEM=="drm", KERNEL=="renderD*", MODE="0660"'] },
  }),
  logging: field(logging, "Log settings", {
    optional: true,
    example: {
      destinations: [
        { endpoint: "udp://192.0.2.10:5514", format: "json_lines" },
      ],
    },
  }),
  kernel: field(kernel, "Kernel settings", {
    optional: true,
    example: { modules: [{ name: "nbd" }] },
  }),
  seccompProfiles: field(
    listWithGaps(seccompProfile),
    "Seccomp profiles to write to the node",
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
    "Overrides of the base OCI runtime spec of containers",
    {
      since: "1.9",
      example: {
        process: {
          rlimits: [{ type: "RLIMIT_NOFILE", hard: 65536, soft: 65536 }],
        },
      },
    },
  ),
  nodeLabels: field(map(openText), "Labels of the Kubernetes node", {
    example: { "topology.kubernetes.io/zone": "north" },
  }),
  nodeAnnotations: field(map(string), "Annotations of the Kubernetes node", {
    example: { "example.com/rack": "17" },
  }),
  nodeTaints: field(
    map(openText),
    "Taints of the Kubernetes node, as effect or value:effect",
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
