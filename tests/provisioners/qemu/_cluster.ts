/** A cluster of one virtual machine, for tests that do not make it. */

import type { QemuCluster } from "../../../provisioners/qemu/cluster.ts";
import type { Machine } from "../../../provisioners/qemu/machine.ts";

/** A machine with the settings most have. */
export const machine: Machine = {
  name: "lab-controlplane-1",
  folder: "/state/lab",
  uuid: "3f0c6f1e-0000-4000-8000-000000000001",
  architecture: "amd64",
  processors: 2,
  memory: 2048,
  mac: "02:00:00:00:00:01",
  tap: "ot00000000-1",
  mtu: 1400,
  disks: [
    {
      path: "/state/lab/lab-controlplane-1-0.disk",
      driver: "virtio",
      blockSize: 512,
    },
  ],
  boot: { kind: "kernel", path: "/boot/vmlinuz", initrd: "/boot/initramfs" },
  kernelArguments: "console=ttyS0,115200n8 talos.platform=metal",
  stubArguments: "console=ttyS0",
  firmware: [],
  isSecureBoot: false,
  hasIommu: false,
  isClockWrong: false,
  hasBootloader: true,
  hasDebugShell: false,
};

/** A cluster of it, with IPv4 and IPv6, that boots from the network. */
export const cluster: QemuCluster = {
  accelerator: "tcg",
  network: {
    bridge: "osbr00000000",
    mac: "02:00:00:00:00:00",
    mtu: 1400,
    subnets: [
      { cidr: "10.5.0.0/24", prefix: 24, gateway: "10.5.0.1" },
      { cidr: "fd74:616c:a05::/64", prefix: 64, gateway: "fd74:616c:a05::1" },
    ],
    noMasquerade: [],
    taps: ["ot00000000-1"],
    isAirgapped: false,
  },
  nameservers: ["192.0.2.53", "2001:db8::53"],
  isNamedByDhcp: true,
  bootScript: "https://boot.example.org/script",
  controlPlanePort: 6443,
  hasJsonLogs: false,
  machines: [{
    ...machine,
    type: "controlplane",
    ips: ["10.5.0.2", "fd74:616c:a05::2"],
    serverPort: 40_001,
  }],
  ca: "",
};
