import { runtimeName, yamlSpecAnnotation } from "../../../talos.ts";
import { machineConfig, persistentConfig } from "../../state/machine_config.ts";
import type { SimulatedNode } from "../../state/node.ts";
import { runningRelease } from "../../release/release.ts";
import { readSettings } from "../../state/node_settings.ts";
import { type NodeResource, resource } from "./content.ts";
import { kernelParameterContents } from "./settings.ts";

/** Resources of a node without a configuration. */
export function unconfiguredContents(
  node: SimulatedNode,
): readonly NodeResource[] {
  return [
    resource("Versions.runtime", "version", "runtime.VersionController", {
      name: runtimeName,
      version: runningRelease(node).tag,
    }),
    resource("BootIDs.runtime", "boot-id", "runtime.BootIDController", {
      bootID: node.boot.id,
    }),
    resource(
      "KernelCmdlines.runtime",
      "cmdline",
      "runtime.KernelCmdlineController",
      { cmdline: kernelCommandLine },
    ),
    resource(
      "PlatformMetadatas",
      "platformmetadata",
      "network.PlatformConfigApplyController",
      { platform: "metal", hostname: node.identity.hostname },
    ),
    resource(
      "SecurityStates",
      "securitystate",
      "runtime.SecurityStateController",
      securityStates[node.disk.bootLoader],
    ),
    resource(
      "DevicesStatuses.runtime",
      "devices",
      "runtime.DevicesStatusController",
      { ready: true },
    ),
    { type: "MetaLoads.runtime", id: "meta-loaded", spec: { done: true } },
    ...bootedContents(node),
    ...kernelParameterContents({}),
    ...kernelModules,
  ];
}

/** Resources of the booted image. */
function bootedContents(
  { disk: { bootEntries, bootLoader } }: SimulatedNode,
): readonly NodeResource[] {
  if (bootEntries === undefined) return [];
  const { name, schematic } = bootEntries.running;
  return [
    ...(bootLoader === "grub" ? [] : [
      resource(
        "BootedEntries",
        "bootedentry",
        "runtime.BootedEntryController",
        { bootedEntry: name },
      ),
    ]),
    ...(schematic === undefined ? [] : [
      resource(
        "ExtensionStatuses.runtime",
        "0",
        "runtime.ExtensionStatusController",
        schematicSpec(schematic),
      ),
    ]),
  ];
}

/** Resources of a configured node. */
export function configuredContents(
  node: SimulatedNode,
): readonly NodeResource[] {
  const { machineType } = node.identity;
  const annotations = { [yamlSpecAnnotation]: "1" };
  const owner = "config.AcquireController";
  const configs = { v1alpha1: machineConfig, persistent: persistentConfig };
  return [
    ...Object.entries(configs).map(([id, text]) => ({
      type: "MachineConfigs.config",
      id,
      owner,
      annotations,
      spec: text(node),
    })),
    resource(
      "MachineTypes.config",
      "machine-type",
      "config.MachineTypeController",
      machineType,
    ),
    resource("TimeStatuses.v1alpha1", "node", "time.SyncController", {
      synced: true,
      epoch: 1,
      syncDisabled: readSettings(node).timeSyncDisabled,
      spikeDetected: false,
      consecutiveSpikes: 0,
    }),
    resource(
      "AdjtimeStatuses.v1alpha1",
      "node",
      "time.AdjtimeStatusController",
      adjtime,
    ),
  ];
}

export const kernelCommandLine: string = [
  "talos.platform=metal",
  "console=ttyS0",
  "init_on_alloc=1",
  "slab_nomerge=",
  "pti=on",
  "consoleblank=0",
  "nvme_core.io_timeout=4294967295",
  "printk.devkmsg=on",
  "selinux=1",
].join(" ");

const securityState = {
  secureBoot: false,
  selinuxState: "enabled, permissive",
  moduleSignatureEnforced: true,
};

/** GRUB boots a kernel, systemd-boot a unified kernel image. */
const securityStates = {
  grub: { ...securityState, bootedWithUKI: false },
  "systemd-boot": { ...securityState, bootedWithUKI: true },
} as const;

const adjtime = {
  offset: "-312.4µs",
  frequencyAdjustmentRatio: 1.0000021,
  maxError: "13.5ms",
  estError: "0s",
  status: "STA_PLL | STA_NANO",
  constant: 7,
  syncStatus: true,
  state: "TIME_OK",
};

/** Pseudo extension with the schematic ID of the image. */
function schematicSpec(schematic: string) {
  return {
    image: "",
    metadata: {
      name: "schematic",
      version: schematic,
      author: "Image Factory",
      description:
        "Virtual extension which specifies the schematic of the image built with Image Factory.",
      compatibility: { ["talos"]: { version: "" } },
      extraInfo: "customization: {}\n",
    },
  };
}

const kernelModules: readonly NodeResource[] = [
  resource(
    "LoadedKernelModules.runtime",
    "virtio_net",
    "runtime.LoadedKernelModuleController",
    {
      size: 98304,
      referenceCount: 0,
      state: "Live",
      address: "0x0000000000000000",
    },
  ),
  resource(
    "LoadedKernelModules.runtime",
    "virtio_pci",
    "runtime.LoadedKernelModuleController",
    {
      size: 28672,
      referenceCount: 0,
      state: "Live",
      address: "0x0000000000000000",
    },
  ),
];
