/** Types of resources about hardware, volumes, secrets and the management link. */

import { tunnelName } from "../../../dialect.ts";
import type { TypeGroup } from "../resource_definitions.ts";

/** Types of resources about hardware, volumes, secrets and the management link, by group and default namespace. */
export const machineTypes: readonly TypeGroup[] = [{
  group: "block",
  namespace: "runtime",
  types: {
    BlockDevices: {
      columns: {
        Type: "{.type}",
        PartitionName: "{.partitionName}",
        Generation: "{.generation}",
      },
    },
    BlockSymlinks: {},
    DiscoveredVolumes: {
      columns: {
        Type: "{.type}",
        Size: "{.pretty_size}",
        Discovered: "{.name}",
        Label: "{.label}",
        PartitionLabel: "{.partition_label}",
      },
    },
    DiscoveryRefreshRequests: { columns: { Request: "{.request}" } },
    DiscoveryRefreshStatuses: { columns: { Request: "{.request}" } },
    Disks: {
      columns: {
        Size: "{.pretty_size}",
        "Read Only": "{.readonly}",
        Transport: "{.transport}",
        Rotational: "{.rotational}",
        WWID: "{.wwid}",
        Model: "{.model}",
        Serial: "{.serial}",
      },
    },
    MountRequests: {
      columns: {
        Volume: "{.volumeID}",
        Parent: "{.parentID}",
        Requesters: "{.requesters}",
      },
    },
    MountStatuses: {
      columns: {
        Source: "{.source}",
        Target: "{.target}",
        Filesystem: "{.filesystem}",
        Volume: "{.spec.volumeID}",
      },
    },
    SwapStatuses: {
      aliases: ["swap", "swaps"],
      columns: {
        Device: "{.device}",
        Size: "{.sizeHuman}",
        Used: "{.usedHuman}",
        Priority: "{.priority}",
      },
    },
    SystemDisks: { columns: { Disk: "{.diskID}" } },
    UserDiskConfigStatuses: { columns: { Ready: "{.ready}" } },
    VolumeConfigs: { sensitive: true },
    VolumeLifecycles: {},
    VolumeMountRequests: {
      columns: { "Volume ID": "{.volumeID}", Requester: "{.requester}" },
    },
    VolumeMountStatuses: {
      columns: {
        "Volume ID": "{.volumeID}",
        Requester: "{.requester}",
        Target: "{.target}",
      },
    },
    VolumeStatuses: {
      columns: {
        Type: "{.type}",
        Phase: "{.phase}",
        Location: "{.location}",
        Size: "{.prettySize}",
      },
    },
    ZswapStatuses: {
      columns: {
        "Total Size": "{.totalSizeHuman}",
        "Stored Pages": "{.storedPages}",
        "Written Back": "{.writtenBackPages}",
        "Pool Limit Hit": "{.poolLimitHit}",
      },
    },
  },
}, {
  group: "hardware",
  namespace: "hardware",
  types: {
    MemoryModules: {
      aliases: ["memorymodules", "ram"],
      columns: {
        Manufacturer: "{.manufacturer}",
        Model: "{.productName}",
        SizeMiB: "{.sizeMiB}",
      },
    },
    PCIDevices: {
      aliases: ["devices", "device"],
      columns: {
        Class: "{.class}",
        Subclass: "{.subclass}",
        Vendor: "{.vendor}",
        Product: "{.product}",
      },
    },
    PCRStatuses: {},
    Processors: {
      aliases: ["cpus", "cpu"],
      columns: {
        Manufacturer: "{.manufacturer}",
        Model: "{.productName}",
        Cores: "{.coreCount}",
        Threads: "{.threadCount}",
      },
    },
    SystemInformations: {
      aliases: ["systeminformation"],
      columns: {
        Manufacturer: "{.manufacturer}",
        ProductName: "{.productName}",
        Version: "{.version}",
        SerialNumber: "{.serialnumber}",
        UUID: "{.uuid}",
        WakeUpType: "{.wakeUpType}",
        SKUNumber: "{.skuNumber}",
      },
    },
  },
}, {
  group: "secrets",
  namespace: "secrets",
  types: {
    ApiCertificates: { sensitive: true },
    CertSANs: { sensitive: true },
    EncryptionSalts: { sensitive: true },
    EtcdRootSecrets: { sensitive: true },
    EtcdSecrets: { sensitive: true },
    KubeletSecrets: { sensitive: true },
    KubernetesDynamicCerts: { sensitive: true },
    KubernetesRootSecrets: { sensitive: true },
    KubernetesSecrets: { sensitive: true },
    MaintenanceRootSecrets: { sensitive: true },
    MaintenanceServiceCertificates: { sensitive: true },
    OSRootSecrets: { sensitive: true },
    TrustdCertificates: { sensitive: true },
  },
}, {
  group: tunnelName.toLowerCase(),
  namespace: "config",
  types: {
    [`${tunnelName}Configs`]: {
      sensitive: true,
      columns: { "API Endpoint": "{.apiEndpoint}", Tunnel: "{.tunnel}" },
    },
    [`${tunnelName}Statuses`]: {
      columns: { Host: "{.host}", Connected: "{.connected}" },
    },
    [`${tunnelName}Tunnels`]: {
      sensitive: true,
      columns: {
        "API Endpoint": "{.apiEndpoint}",
        "Link name": "{.linkName}",
        MTU: "{.mtu}",
        "Node address": "{.nodeAddress}",
      },
    },
  },
}];
