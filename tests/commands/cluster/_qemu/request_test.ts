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
  [{}, ({ disks }) => disks, [{ driver: "virtio", size: 6_442_450_944 }]],
  [{ disk: 100 }, ({ disks }) => disks[0]?.size, 104_857_600],
  [
    { extraDisks: 2, extraDisksDrivers: ["nvme"], extraDisksSize: 10 },
    ({ workerDisks }) => workerDisks,
    [{ driver: "nvme", size: 10_485_760 }, { driver: "ide", size: 10_485_760 }],
  ],
  [
    { arch: "arm64", extraDisks: 1 },
    ({ workerDisks }) => workerDisks[0]?.driver,
    "virtio",
  ],
  [
    { userVolumes: ["a:1GB:b:2GiB"] },
    ({ disks }) => disks[1],
    { driver: "ide", size: 1_000_000_000 + 2 * 1024 ** 3 + 6 * 1024 ** 2 },
  ],
  [{ diskBlockSize: 4096 }, ({ blockSize }) => blockSize, 4096],
  [{ diskPreallocate: false }, ({ isPreallocated }) => isPreallocated, false],
  [
    { diskImagePath: "/os.zst" },
    ({ hardware: { boot }, diskImage }) => [boot, diskImage],
    [{ kind: "disk" }, "/os.zst"],
  ],
  [{}, ({ hardware }) => hardware.boot, {
    kind: "kernel",
    path: "_out/vmlinuz-amd64",
    initrd: "_out/initramfs-amd64.xz",
  }],
  [{ isoPath: "/${ARCH}.iso" }, ({ hardware }) => hardware.boot, {
    kind: "iso",
    path: "/amd64.iso",
  }],
  [{ usbPath: "/usb" }, ({ hardware }) => hardware.boot, {
    kind: "usb",
    path: "/usb",
  }],
  [{ ukiPath: "/uki" }, ({ hardware }) => hardware.boot, {
    kind: "uki",
    path: "/uki",
  }],
  [
    { ipxeBootScript: "http://x/" },
    ({ hardware: { boot }, bootScript }) => [boot, bootScript],
    [{ kind: "network" }, "http://x/"],
  ],
  [{ withTpm1_2: true }, ({ hardware }) => hardware.tpm, "1.2"],
  [{ withTpm2: true }, ({ hardware }) => hardware.tpm, "2.0"],
  [{ withIommu: true }, ({ hardware }) => hardware.hasIommu, true],
  [{ badRtc: true }, ({ hardware }) => hardware.isClockWrong, true],
  [{ withUefi: false }, ({ hasUefi }) => hasUefi, false],
  [
    { extraUefiSearchPaths: ["/fw"] },
    ({ firmwareFolders }) => firmwareFolders,
    ["/fw"],
  ],
  [
    { withBootloader: false },
    ({ hardware, documents }) => [hardware.hasBootloader, documents.isKexecOff],
    [false, true],
  ],
  [
    { extraBootKernelArgs: "-pti a=b" },
    ({ kernelArguments }) => /(pti|a)=\w+/.exec(kernelArguments)?.[0],
    "a=b",
  ],
  [
    { withDebugShell: true },
    ({ hardware, kernelArguments }) => [
      hardware.hasDebugShell,
      kernelArguments.endsWith(" talos.debugshell"),
    ],
    [true, true],
  ],
  [
    { skipInjectingExtraCmdline: true },
    ({ hasStubArguments }) => hasStubArguments,
    false,
  ],
  [
    { configInjectionMethod: "metal-iso" },
    ({ injection }) => injection,
    "metal-iso",
  ],
  [{ skipInjectingConfig: true }, ({ injection }) => injection, "none"],
  [{}, ({ injection }) => injection, "http"],
  [
    { disableDhcpHostname: true },
    ({ network }) => network.isNamedByDhcp,
    false,
  ],
  [
    { nameservers: ["192.0.2.1", "2001:db8::1"] },
    ({ network }) => network.nameservers,
    ["192.0.2.1", "2001:db8::1"],
  ],
  [
    { noMasqueradeCidrs: ["10.0.0.0/8"] },
    ({ network }) => network.noMasquerade,
    ["10.0.0.0/8"],
  ],
  [{ airgapped: true }, ({ network }) => network.isAirgapped, true],
  [{ mtu: 1400 }, ({ network }) => network.mtu, 1400],
  [
    {
      withNetworkChaos: true,
      withNetworkLatency: 20,
      withNetworkJitter: 5,
      withNetworkPacketLoss: 0.1,
      withNetworkPacketReorder: 0.2,
      withNetworkPacketCorrupt: 0.3,
    },
    ({ network }) => network.chaos,
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
    ({ network }) => network.chaos?.bandwidth,
    9,
  ],
  [{ cpus: 1e9, memory: 7 }, ({ controlplane }) => controlplane, {
    nanocpus: 1e9,
    memory: 7,
  }],
  [
    { cpusWorkers: 1e9, memoryWorkers: 7 },
    ({ worker }) => worker,
    { nanocpus: 1e9, memory: 7 },
  ],
  [{ accel: "tcg" }, ({ accelerator }) => accelerator, "tcg"],
  [
    { controlPlanePort: 7443 },
    ({ documents }) => [documents.controlPlanePort],
    [7443],
  ],
  [
    {
      encryptState: true,
      encryptEphemeral: true,
      diskEncryptionKeyTypes: ["uuid", "kms"],
    },
    ({ documents }) => [documents.encrypted, documents.keys],
    [["STATE", "EPHEMERAL"], ["uuid", "kms"]],
  ],
  [
    { encryptUserVolumes: true, userVolumes: ["a:1GB"] },
    ({ documents }) => [documents.encrypted, documents.keys],
    [["user"], ["uuid"]],
  ],
  [{ withJsonLogs: true }, ({ documents }) => [documents.hasJsonLogs], [true]],
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
    ({ documents, contract }) => [contract.version, documents.minor],
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
