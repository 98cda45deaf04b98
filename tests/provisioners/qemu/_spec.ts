/** Specification of a cluster of one virtual machine, for tests that do not create it. */

import { defaultContract } from "../../../config/generate/contract.ts";
import { planCluster } from "../../../provisioners/qemu/plan.ts";
import type { QemuSpec } from "../../../provisioners/qemu/spec.ts";

export const planned = {
  name: "lab",
  folder: "/state/lab",
  cidr: "10.5.0.0/24",
  ipv4: true,
  ipv6: false,
  controlplanes: 1,
  workers: 0,
  hasInitNode: false,
  hasUuidNames: false,
};

/** Names and addresses. */
export const plan = await planCluster(planned);

/** The settings most have. */
export const spec: QemuSpec = {
  plan,
  wishes: "",
  network: {
    mtu: 1500,
    nameservers: [],
    noMasquerade: [],
    isNamedByDhcp: true,
    isAirgapped: false,
  },
  hardware: {
    architecture: "amd64",
    boot: { kind: "kernel", path: "/vmlinuz", initrd: "/initrd" },
    hasIommu: false,
    isClockWrong: false,
    hasBootloader: true,
    hasDebugShell: false,
  },
  accelerator: "tcg",
  controlplane: { nanocpus: 2e9, memory: 2 ** 31 },
  worker: { nanocpus: 2e9, memory: 2 ** 31 },
  disks: [{ driver: "virtio", size: 2 ** 30 }],
  workerDisks: [],
  blockSize: 512,
  isPreallocated: true,
  kernelArguments: "",
  hasStubArguments: true,
  hasUefi: true,
  firmwareFolders: [],
  injection: "http",
  configurations: new Map(),
  documents: {
    minor: 12,
    systemDisk: "virtio",
    controlPlanePort: 6443,
    kubeprismPort: 7445,
    usesVip: false,
    isKexecOff: false,
    isDebug: false,
    insecureRegistries: [],
    encrypted: [],
    keys: ["uuid"],
    userVolumes: [],
    hasJsonLogs: false,
  },
  contract: defaultContract,
  kubernetesEndpoint: "https://10.5.0.1:6443",
  access: { endpoints: [], nodes: [], ca: "", crt: "", key: "" },
};
