/** `machine`. */

import { defaultImages } from "../../default_images.ts";
import { openText, string } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { free, list, map, struct } from "../shapes.ts";
import { diskEncryption } from "./disk_encryption.ts";
import { features } from "./features.ts";
import {
  disk,
  file,
  kernel,
  logging,
  seccompProfile,
  time,
  udev,
} from "./host.ts";
import { install } from "./install.ts";
import { kubelet } from "./kubelet.ts";
import { identityFields } from "./machine_identity.ts";
import { machineNetwork } from "./machine_network.ts";
import { registries } from "./registries.ts";

/** What Kubernetes needs on the node. */
const podFields: Fields = {
  kubelet: {
    shape: kubelet,
    optional: true,
    summary: "The kubelet",
    examples: [{
      value: {
        extraArgs: { "max-pods": "200" },
        nodeIP: { validSubnets: ["10.0.0.0/8"] },
      },
    }],
  },
  pods: {
    shape: list(free),
    summary: "Pods that the kubelet runs without the API server",
    examples: [{
      value: [{
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
    }],
  },
};

/** Network, disks, files. */
const systemFields: Fields = {
  network: {
    shape: machineNetwork,
    optional: true,
    summary: "The node's network",
    examples: [{ value: { kubespan: { enabled: true } } }],
  },
  disks: {
    shape: list(disk),
    summary: "Further disks, their partitions and mounts",
    deprecated: "UserVolumeConfig",
  },
  install: {
    shape: install,
    optional: true,
    summary: "How the system is put on a disk",
    examples: [{
      value: { disk: "/dev/sda", image: defaultImages.installer, wipe: false },
    }],
  },
  files: {
    shape: list(file),
    summary: "Files written at boot",
    examples: [{
      value: [{
        content: "server = 192.0.2.53\n",
        permissions: 0o644,
        path: "/var/etc/example.conf",
        op: "create",
      }],
    }],
  },
  env: {
    shape: map(string),
    summary: "Environment of the node's services, proxies among them",
    examples: [{
      value: {
        https_proxy: "http://proxy.example.com:3128",
        no_proxy: "10.0.0.0/8,example.com",
      },
    }],
  },
  time: {
    shape: time,
    optional: true,
    summary: "Where the time comes from",
    deprecated: "TimeSyncConfig",
  },
  sysctls: {
    shape: map(openText),
    summary: "Kernel parameters below /proc/sys",
    examples: [{ value: { "net.ipv4.ip_forward": "1" } }],
  },
  sysfs: {
    shape: map(openText),
    summary: "Values written below /sys, dots or slashes in between",
    examples: [{
      value: {
        "devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance",
      },
    }],
  },
  registries: {
    shape: registries,
    summary: "Mirrors and passwords of image registries",
    deprecated: "RegistryMirrorConfig",
  },
  systemDiskEncryption: {
    shape: diskEncryption,
    optional: true,
    summary: "Encryption of the system's partitions",
    deprecated: "VolumeConfig",
  },
};

/** What can be switched and tuned. */
const tuningFields: Fields = {
  features: {
    shape: features,
    optional: true,
    summary: "Parts of the system that can be switched",
    examples: [{
      value: {
        diskQuotaSupport: true,
        kubePrism: { enabled: true, port: 7445 },
        hostDNS: { enabled: true, forwardKubeDNSToHost: true },
      },
    }],
  },
  udev: {
    shape: udev,
    optional: true,
    summary: "Rules for devices",
    examples: [{
      value: { rules: ['SUBSYSTEM=="drm", KERNEL=="renderD*", MODE="0660"'] },
    }],
  },
  logging: {
    shape: logging,
    optional: true,
    summary: "Where logs of services are sent",
    examples: [{
      value: {
        destinations: [
          { endpoint: "udp://192.0.2.10:5514", format: "json_lines" },
        ],
      },
    }],
  },
  kernel: {
    shape: kernel,
    optional: true,
    summary: "The kernel",
    examples: [{ value: { modules: [{ name: "nbd" }] } }],
  },
  seccompProfiles: {
    shape: list(seccompProfile),
    listed: true,
    summary: "Profiles that limit the system calls of containers",
    examples: [{
      value: [{
        name: "log-all.json",
        value: { defaultAction: "SCMP_ACT_LOG" },
      }],
    }],
  },
  baseRuntimeSpecOverrides: {
    shape: free,
    since: "1.9",
    summary: "Changes to what the runtime gives every container",
    examples: [{
      value: {
        process: {
          rlimits: [{ type: "RLIMIT_NOFILE", hard: 65536, soft: 65536 }],
        },
      },
    }],
  },
  nodeLabels: {
    shape: map(openText),
    summary: "Labels of the node in Kubernetes",
    examples: [{ value: { "topology.kubernetes.io/zone": "north" } }],
  },
  nodeAnnotations: {
    shape: map(string),
    summary: "Annotations of the node in Kubernetes",
    examples: [{ value: { "example.com/rack": "17" } }],
  },
  nodeTaints: {
    shape: map(openText),
    summary: "Taints of the node in Kubernetes, as effect or value:effect",
    examples: [{ value: { "example.com/dedicated": "storage:NoSchedule" } }],
  },
};

/** Everything about one node. */
export const machine: StructShape = struct({
  ...identityFields,
  ...podFields,
  ...systemFields,
  ...tuningFields,
});
