/** Differences between the minor versions 1.8 to 1.14: one line per fact, with its versions. */

import { tunnelName } from "../../talos.ts";
import type { Release } from "./release.ts";

/** First minor version of a fact, and the last one if it ended: `[9]`, `[0, 12]`. */
export type VersionRange = readonly [first: number, last?: number];

/** True if a range includes a minor version. `range`: undefined includes all. */
export function includes(
  range: VersionRange | undefined,
  minor: number,
): boolean {
  const [first, last = Infinity] = range ?? [0];
  return minor >= first && minor <= last;
}

/** Parses a range: `9-`, `-12` or `10-13`; empty is every version. */
export function parseRange(text: string): VersionRange {
  const [first = "", last = ""] = text.split("-");
  return last === "" ? [Number(first)] : [Number(first), Number(last)];
}

/** Services and methods that not all versions have, by path. */
export const callVersions: Readonly<Record<string, VersionRange>> = {
  "machine.DebugService": [13],
  "machine.ImageService": [13],
  "machine.LVMService": [14],
  "machine.LifecycleService": [13],
  "machine.MDService": [14],
  "machine.MachineService/CPUFreqStats": [9],
  "machine.MachineService/EtcdDowngradeCancel": [11],
  "machine.MachineService/EtcdDowngradeEnable": [11],
  "machine.MachineService/EtcdDowngradeValidate": [11],
  "machine.MachineService/GenerateConfiguration": [0, 12],
  "storage.StorageService/BlockDeviceWipe": [9],
};

/** Request fields that not all versions read: by method, then by path in the message. */
export const requestVersions: Readonly<
  Record<string, Readonly<Record<string, VersionRange>>>
> = {
  "storage.StorageService/BlockDeviceWipe": {
    "devices.dropPartition": [10],
    "devices.skipSecondaryCheck": [11],
  },
};

/** Reply fields that not all versions have: by method, then by path in the message. */
export const replyVersions: typeof requestVersions = {
  "machine.MachineService/Containers": {
    "messages.containers.internalId": [9],
    "messages.containers.uid": [9],
  },
  "machine.MachineService/EtcdStatus": {
    "messages.memberStatus.storageVersion": [11],
  },
};

const mountFields: Readonly<Record<string, VersionRange>> = {
  detached: [12],
  disableAccessTime: [13],
  noExec: [14],
  secure: [13],
};

/** Spec keys that not all versions have: by type without its domain, then by path in the spec. */
export const specVersions: typeof requestVersions = {
  "Affiliates.cluster": { "kubespan.excludeAdvertisedNetworks": [12] },
  "AddressStatuses.net": { priority: [10] },
  "ApiCertificates.secrets": { skipVerifyingClientCert: [13] },
  "APIServerConfigs.kubernetes": {
    podSecurityPolicyEnabled: [0, 11],
    startupProbesEnabled: [14],
    useAuthenticationConfig: [14],
  },
  "BlockDevices.block": { secondaries: [9] },
  "ControllerManagerConfigs.kubernetes": {
    nodeCIDRMaskSizeIPv4: [14],
    nodeCIDRMaskSizeIPv6: [14],
  },
  // The key was misspelled up to v1.9.
  "DiscoveredVolumes.block": {
    dev_dath: [0, 9],
    dev_path: [10],
    offset: [12],
  },
  "DiscoveryConfigs.cluster": { serviceEndpoints: [14] },
  "Disks.block": { secondary_disks: [9], symlinks: [10], uuid: [9] },
  "Endpoints.kubernetes": { hosts: [12] },
  "KubernetesRootSecrets.secrets": {
    acceptedAggregatorCAs: [14],
    acceptedIssuers: [14],
    apiAudiences: [14],
    etcdEncryptionConfig: [14],
    issuerURL: [14],
    serviceAccountAcceptedKeys: [14],
  },
  "LinkStatuses.net": { alias: [9], altNames: [9] },
  "MountRequests.block": mountFields,
  "MountStatuses.block": {
    detached: [12],
    "spec.detached": [12],
    "spec.secure": [13],
  },
  "NodeAddresses.net": { sortAlgorithm: [9] },
  "NodeStatuses.kubernetes": { podCIDRs: [12] },
  "PCIDevices.hardware": { driver: [10] },
  "PlatformMetadatas": { tags: [10] },
  "ResolverStatuses.net": { searchDomains: [9] },
  "SecurityStates": {
    bootedWithUKI: [10],
    fipsState: [11],
    moduleSignatureEnforced: [12],
    selinuxState: [10],
  },
  [`${tunnelName}Statuses.${tunnelName.toLowerCase()}`]: {
    grpcTunnel: [9],
    linkName: [9],
  },
  "TimeServerStatuses.net": { useNTS: [14] },
  "TimeStatuses.v1alpha1": { consecutiveSpikes: [14], spikeDetected: [14] },
  "UserDiskConfigStatuses.block": { tornDown: [10] },
  "Versions.runtime": { name: [13] },
  "VolumeMountRequests.block": mountFields,
  "VolumeMountStatuses.block": mountFields,
  "VolumeStatuses.block": {
    configuredEncryptionKeys: [10],
    encryptionFailedSyncs: [9],
    encryptionLockedToState: [12],
    encryptionSlot: [12],
    mountSpec: [9],
    "mountSpec.parentId": [10],
    "mountSpec.projectQuotaSupport": [10],
    parentID: [10],
    symlink: [10],
    tpmEncryptionOptions: [12],
    type: [10],
  },
};

/** Resource namespaces that not all versions have. */
export const namespaceVersions: Readonly<Record<string, VersionRange>> = {
  containers: [14],
  security: [13],
  storage: [14],
};

/** Behaviors that differ between versions. */
export const behaviorVersions = {
  /** A configuration is refused while another one is being applied. */
  appliesOneAtATime: [12],
  /** A configuration is refused after another one was applied with a reboot. */
  appliesOnceBeforeReboot: [12, 13],
  /** A configuration can be applied with a reboot; some changes need one. */
  appliesWithReboot: [0, 13],
  /** The configuration of a running node must include the main document. */
  wantsMainDocument: [10],
  /** Workers refuse to bootstrap with UNIMPLEMENTED. */
  bootstrapIsControlPlaneApi: [13],
  /** New installations on firmware without Secure Boot start with GRUB. */
  installsGrub: [0, 9],
  /** The versions of the kubelet and control plane in a configuration must be supported. */
  checksKubernetes: [11],
  /** A reboot can be forced; other versions treat it as a regular one. */
  rebootsForcibly: [12],
  /** One service for nodes with and without a configuration: roles are checked in both states. */
  rolesInMaintenance: [13],
  /** An upgrade that preserves the data does not check etcd. */
  skipsEtcdCheckToPreserve: [12],
} as const satisfies Readonly<Record<string, VersionRange>>;

/** Kernel, Go and containerd of the newest release of each minor version. */
export const buildFacts: Readonly<
  Record<number, Pick<Release, "kernel" | "goVersion" | "containerd">>
> = {
  8: { kernel: "6.6.64", goVersion: "go1.22.7", containerd: "2.0.0" },
  9: { kernel: "6.12.25", goVersion: "go1.23.3", containerd: "2.0.5" },
  10: { kernel: "6.12.63", goVersion: "go1.24.4", containerd: "2.0.7" },
  11: { kernel: "6.12.62", goVersion: "go1.24.5", containerd: "2.1.5" },
  12: { kernel: "6.18.42", goVersion: "go1.25.9", containerd: "2.2.5" },
  13: { kernel: "6.18.44", goVersion: "go1.26.6", containerd: "2.2.7" },
  14: { kernel: "6.18.44", goVersion: "go1.26.5", containerd: "2.3.3" },
};

/**
 * Removes the fields that a version does not have. Returns the same value if there are none.
 *
 * @param value Message or spec; anything else has no fields.
 * @param versions Versions by field path: `messages.containers.uid`, including list elements.
 */
export function withoutFields<T>(
  value: T,
  versions: Readonly<Record<string, VersionRange>> | undefined,
  minor: number,
): T {
  const gone = Object.entries(versions ?? {})
    .filter(([, range]) => !includes(range, minor));
  return gone.reduce<T>(
    (rest, [way]) => withoutField(rest, way.split(".")),
    value,
  );
}

function withoutField<T>(value: T, [key = "", ...way]: readonly string[]): T {
  if (Array.isArray(value)) {
    const kept = value.map((one) => withoutField(one, [key, ...way]));
    // The same, element by element.
    return kept.every((one, index) => one === value[index]) ? value : kept as T;
  }
  if (!isRecord(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: own, ...others } = value;
  if (way.length === 0) return others as T;
  const kept = withoutField(own, way);
  return kept === own ? value : { ...value, [key]: kept };
}

function isRecord(
  value: unknown,
): value is Readonly<Record<string, unknown>> {
  return value instanceof Object && !(value instanceof Uint8Array) &&
    !(Symbol.asyncIterator in value);
}
