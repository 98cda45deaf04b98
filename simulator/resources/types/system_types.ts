/** Types of resources about the operating system. */

import type { TypeGroup } from "../resource_definitions.ts";

/** Types of resources about the operating system, by group and default namespace. */
export const systemTypes: readonly TypeGroup[] = [{
  group: "",
  namespace: "runtime",
  types: {
    BootedEntries: { columns: { "Booted Entry": "{.bootedEntry}" } },
    OOMActions: {
      sensitive: true,
      columns: { Time: "{.time}", Score: "{.score}" },
    },
    PlatformMetadatas: {
      columns: {
        Platform: "{.platform}",
        Type: "{.instanceType}",
        Region: "{.region}",
        Zone: "{.zone}",
      },
    },
    SBOMItems: {
      columns: {
        Version: "{.version}",
        License: "{.license}",
        Extension: "{.extension}",
      },
    },
    SecurityStates: {
      columns: {
        SecureBoot: "{.secureBoot}",
        UKISigningKeyFingerprint: "{.ukiSigningKeyFingerprint}",
        PCRSigningKeyFingerprint: "{.pcrSigningKeyFingerprint}",
        SELinuxState: "{.selinuxState}",
        ModuleSignatureEnforced: "{.moduleSignatureEnforced}",
      },
    },
  },
}, {
  group: "runtime",
  namespace: "hardware",
  types: {
    PCIDriverRebindConfigs: {
      columns: {
        Name: "{.name}",
        "PCI ID": "{.pciID}",
        TargetDriver: "{.targetDriver}",
      },
    },
    PCIDriverRebindStatuses: {
      aliases: ["pcidriverrebinds"],
      columns: {
        Name: "{.name}",
        "PCI ID": "{.pciID}",
        TargetDriver: "{.targetDriver}",
      },
    },
  },
}, {
  group: "runtime",
  namespace: "runtime",
  types: {
    DevicesStatuses: { columns: { Ready: "{.ready}" } },
    Diagnostics: { columns: { Message: "{.message}" } },
    EventSinkConfigs: {},
    ExtensionServiceConfigStatuses: {},
    ExtensionServiceConfigs: { sensitive: true },
    ExtensionStatuses: {
      aliases: ["extensions"],
      columns: { Name: "{.metadata.name}", Version: "{.metadata.version}" },
    },
    KernelCmdlines: {
      aliases: ["cmdline"],
      columns: { Cmdline: "{.cmdline}" },
    },
    KernelModuleSpecs: {},
    KernelParamDefaultSpecs: {},
    KernelParamSpecs: {},
    KernelParamStatuses: {
      aliases: ["sysctls", "kernelparameters", "kernelparams"],
      columns: {
        Current: "{.current}",
        Default: "{.default}",
        Unsupported: "{.unsupported}",
      },
    },
    KmsgLogConfigs: {},
    LoadedKernelModules: {
      aliases: ["module", "modules"],
      columns: { State: "{.state}" },
    },
    MachineResetSignals: {},
    MachineStatuses: {
      columns: { Stage: "{.stage}", Ready: "{.status.ready}" },
    },
    MaintenanceServiceConfigs: {},
    MaintenanceServiceRequests: {},
    MetaKeys: { aliases: ["meta"], columns: { Value: "{.value}" } },
    MetaLoads: { columns: { Done: "{.done}" } },
    MountStatuses: {
      aliases: ["mounts"],
      columns: {
        Source: "{.source}",
        Target: "{.target}",
        "Filesystem Type": "{.filesystemType}",
      },
    },
    UniqueMachineTokens: { columns: { Token: "{.token}" } },
    Versions: { columns: { Version: "{.version}" } },
    WatchdogTimerConfigs: {
      columns: { Device: "{.device}", Timeout: "{.timeout}" },
    },
    WatchdogTimerStatuses: {
      columns: { Device: "{.device}", Timeout: "{.timeout}" },
    },
  },
}, {
  group: "v1alpha1",
  namespace: "runtime",
  types: {
    AcquireConfigSpecs: {},
    AcquireConfigStatuses: {},
    AdjtimeStatuses: {
      columns: {
        Offset: "{.offset}",
        EstError: "{.estError}",
        MaxError: "{.maxError}",
        Status: "{.status}",
        Sync: "{.syncStatus}",
      },
    },
    Services: {
      aliases: ["svc"],
      columns: {
        Running: "{.running}",
        Healthy: "{.healthy}",
        "Health Unknown": "{.unknown}",
      },
    },
    TimeStatuses: { columns: { Synced: "{.synced}" } },
  },
}, {
  group: "perf",
  namespace: "perf",
  types: {
    CPUStats: {
      columns: { User: "{.cpuTotal.user}", System: "{.cpuTotal.system}" },
    },
    MemoryStats: { columns: { Used: "{.used}", Total: "{.total}" } },
  },
}, {
  group: "files",
  namespace: "files",
  types: { EtcFileSpecs: { sensitive: true }, EtcFileStatuses: {} },
}, {
  group: "config",
  namespace: "config",
  types: {
    MachineConfigs: { sensitive: true },
    MachineTypes: { columns: { Type: "{@}" } },
  },
}, {
  group: "cluster",
  namespace: "cluster",
  types: {
    Affiliates: {
      columns: {
        Hostname: "{.hostname}",
        "Machine Type": "{.machineType}",
        Addresses: "{.addresses}",
      },
    },
    Identities: { columns: { ID: "{.nodeId}" } },
    Infos: {
      columns: {
        "Cluster ID": "{.clusterId}",
        "Cluster Name": "{.clusterName}",
      },
    },
    Members: {
      columns: {
        Hostname: "{.hostname}",
        "Machine Type": "{.machineType}",
        OS: "{.operatingSystem}",
        Addresses: "{.addresses}",
      },
    },
  },
}, {
  group: "cluster",
  namespace: "config",
  types: { DiscoveryConfigs: { sensitive: true }, KubernetesAccessConfigs: {} },
}];
