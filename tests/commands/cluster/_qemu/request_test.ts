import assert from "node:assert/strict";
import {
  type FullInputs,
  fullInputs,
} from "../../../../commands/cluster/_qemu/inputs.ts";
import { parseRequest } from "../../../../commands/cluster/_qemu/request.ts";

const initial = {
  ...Object.fromEntries(
    Object.entries(fullInputs).map(([name, { initial }]) => [name, initial]),
  ) as unknown as FullInputs,
  arch: "amd64" as const,
};

type Request = ReturnType<typeof parseRequest>;

/** A flag, and what it changes. */
const effects: readonly (readonly [
  Partial<FullInputs>,
  (request: Request) => unknown,
  unknown,
])[] = [
  [{}, ({ machines }) => machines.disks, [{
    driver: "virtio",
    size: 6_442_450_944,
  }]],
  [{ disk: 100 }, ({ machines }) => machines.disks[0]?.size, 104_857_600],
  [
    { extraDisks: 2, extraDisksDrivers: ["nvme"], extraDisksSize: 10 },
    ({ machines }) => machines.workerDisks,
    [{ driver: "nvme", size: 10_485_760 }, {
      driver: "ide",
      size: 10_485_760,
    }],
  ],
  [
    { arch: "arm64", extraDisks: 1 },
    ({ machines }) => machines.workerDisks[0]?.driver,
    "virtio",
  ],
  [
    { userVolumes: ["a:1GB:b:2GiB"] },
    ({ machines }) => machines.disks[1],
    { driver: "ide", size: 1_000_000_000 + 2 * 1024 ** 3 + 6 * 1024 ** 2 },
  ],
  [{ diskBlockSize: 4096 }, ({ machines }) => machines.blockSize, 4096],
  [
    { diskPreallocate: false },
    ({ machines }) => machines.isPreallocated,
    false,
  ],
  [
    { diskImagePath: "/os.zst" },
    ({ machines: { boot, diskImage } }) => [boot, diskImage],
    [{ kind: "disk" }, "/os.zst"],
  ],
  [{}, ({ machines }) => machines.boot, {
    kind: "kernel",
    path: "_out/vmlinuz-amd64",
    initrd: "_out/initramfs-amd64.xz",
  }],
  [{ isoPath: "/${ARCH}.iso" }, ({ machines }) => machines.boot, {
    kind: "iso",
    path: "/amd64.iso",
  }],
  [{ usbPath: "/usb" }, ({ machines }) => machines.boot, {
    kind: "usb",
    path: "/usb",
  }],
  [{ ukiPath: "/uki" }, ({ machines }) => machines.boot, {
    kind: "uki",
    path: "/uki",
  }],
  [
    { ipxeBootScript: "http://x/" },
    ({ machines: { boot, bootScript } }) => [boot, bootScript],
    [{ kind: "network" }, "http://x/"],
  ],
  [{ withTpm1_2: true }, ({ machines }) => machines.tpm, "1.2"],
  [{ withTpm2: true }, ({ machines }) => machines.tpm, "2.0"],
  [{ withIommu: true }, ({ machines }) => machines.hasIommu, true],
  [{ badRtc: true }, ({ machines }) => machines.isClockWrong, true],
  [{ withUefi: false }, ({ machines }) => machines.hasUefi, false],
  [
    { extraUefiSearchPaths: ["/fw"] },
    ({ machines }) => machines.firmwareFolders,
    ["/fw"],
  ],
  [
    { withBootloader: false },
    (
      { machines, documents },
    ) => [machines.hasBootloader, documents.isKexecOff],
    [false, true],
  ],
  [
    { extraBootKernelArgs: "-pti a=b" },
    ({ machines }) => /(pti|a)=\w+/.exec(machines.kernelArguments)?.[0],
    "a=b",
  ],
  [
    { withDebugShell: true },
    (
      { machines },
    ) => [
      machines.hasDebugShell,
      machines.kernelArguments.endsWith(" talos.debugshell"),
    ],
    [true, true],
  ],
  [
    { skipInjectingExtraCmdline: true },
    ({ machines }) => machines.hasStubArguments,
    false,
  ],
  [
    { configInjectionMethod: "metal-iso" },
    ({ machines }) => machines.injection,
    "metal-iso",
  ],
  [
    { skipInjectingConfig: true },
    ({ machines }) => machines.injection,
    "none",
  ],
  [{}, ({ machines }) => machines.injection, "http"],
  [
    { disableDhcpHostname: true },
    ({ machines }) => machines.network.isNamedByDhcp,
    false,
  ],
  [
    { nameservers: ["192.0.2.1", "2001:db8::1"] },
    ({ machines }) => machines.network.nameservers,
    ["192.0.2.1", "2001:db8::1"],
  ],
  [
    { noMasqueradeCidrs: ["10.0.0.0/8"] },
    ({ machines }) => machines.network.noMasquerade,
    ["10.0.0.0/8"],
  ],
  [{ airgapped: true }, ({ machines }) => machines.network.isAirgapped, true],
  [{ mtu: 1400 }, ({ machines }) => machines.network.mtu, 1400],
  [
    {
      withNetworkChaos: true,
      withNetworkLatency: 20,
      withNetworkJitter: 5,
      withNetworkPacketLoss: 0.1,
      withNetworkPacketReorder: 0.2,
      withNetworkPacketCorrupt: 0.3,
    },
    ({ machines }) => machines.network.chaos,
    {
      latencyMs: 20,
      jitterMs: 5,
      loss: 0.1,
      reorder: 0.2,
      corrupt: 0.3,
      bandwidth: 0,
    },
  ],
  [
    { withNetworkChaos: true, withNetworkBandwidth: 9 },
    ({ machines }) => machines.network.chaos?.bandwidth,
    9,
  ],
  [{ cpus: 1e9, memory: 7 }, ({ machines }) => machines.controlplane, {
    nanocpus: 1e9,
    memory: 7,
  }],
  [
    { cpusWorkers: 1e9, memoryWorkers: 7 },
    ({ machines }) => machines.worker,
    { nanocpus: 1e9, memory: 7 },
  ],
  [{ accel: "tcg" }, ({ machines }) => machines.accelerator, "tcg"],
  [
    { controlPlanePort: 7443 },
    (
      { machines, documents },
    ) => [machines.controlPlanePort, documents.controlPlanePort],
    [7443, 7443],
  ],
  [
    {
      encryptState: true,
      encryptEphemeral: true,
      diskEncryptionKeyTypes: ["uuid", "kms"],
    },
    (
      { machines, documents },
    ) => [documents.encrypted, documents.keys, machines.hasKms],
    [["STATE", "EPHEMERAL"], ["uuid", "kms"], true],
  ],
  [
    { encryptUserVolumes: true, userVolumes: ["a:1GB"] },
    ({ documents }) => [documents.encrypted, documents.keys],
    [["user"], ["uuid"]],
  ],
  [
    { withJsonLogs: true },
    (
      { machines, documents },
    ) => [machines.hasJsonLogs, documents.hasJsonLogs],
    [true, true],
  ],
  [{ withFirewall: "block" }, ({ documents }) => documents.firewall, "block"],
  [
    { wireguardCidr: "10.6.0.0/24" },
    ({ documents }) => documents.wireguardCidr,
    "10.6.0.0/24",
  ],
  [{ useVip: true }, ({ documents }) => documents.usesVip, true],
  [{ kubeprismPort: 0 }, ({ documents }) => documents.kubeprismPort, 0],
  [
    { customCniUrl: "https://x/" },
    ({ documents }) => documents.customCniUrl,
    "https://x/",
  ],
  [{ withDebug: true }, ({ documents }) => documents.isDebug, true],
  [
    { registryInsecureSkipVerify: ["r"] },
    ({ documents }) => documents.insecureRegistries,
    ["r"],
  ],
  [
    { osVersion: "v1.9.3" },
    ({ contract, documents }) => [contract.version, documents.minor],
    ["v1.9", 9],
  ],
  [{ osVersion: "latest" }, ({ contract }) => contract.version, "v1.12"],
];

for (const [change, read, expected] of effects) {
  const name = Object.keys(change).join(", ") || "no flags";
  Deno.test(`parseRequest: effect of ${name} on ${String(read).replace(/.*?=> /s, "").replace(/\s+/g, " ")}`, () => {
    assert.deepEqual(read(parseRequest({ ...initial, ...change })), expected);
  });
}
