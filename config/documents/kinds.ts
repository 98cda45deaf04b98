import { bgpInstance } from "./network/bgp.ts";
import { container } from "./system/container.ts";
import {
  criBaseRuntimeSpec,
  criCustomization,
  imageCache,
} from "./system/container_runtime.ts";
import { discoveryIdentity, discoveryService } from "./system/discovery.ts";
import { externalVolume } from "./storage/external_volume.ts";
import { filesystemScrub, filesystemTrim } from "./storage/maintenance.ts";
import { imageVerification } from "./system/image_verification.ts";
import {
  kubeAdmissionControl,
  kubeAuditPolicy,
  kubeAuthentication,
  kubeAuthorizer,
  kubeCredentialProvider,
  kubePodAccess,
} from "./kubernetes/access.ts";
import {
  kubeAggregatorCa,
  kubeApiServerCa,
  kubeEtcdEncryption,
  kubeServiceAccount,
} from "./kubernetes/ca.ts";
import { kubeCluster, kubeNetwork, kubeNode } from "./kubernetes/cluster.ts";
import {
  kubeApiServer,
  kubeControllerManager,
  kubeCoreDns,
  kubeFlannel,
  kubelet,
  kubePrism,
  kubeProxy,
  kubeScheduler,
} from "./kubernetes/components.ts";
import {
  kubeExternalManifest,
  kubeInlineManifest,
  kubeStaticPod,
} from "./kubernetes/manifests.ts";
import {
  lvmLogicalVolume,
  lvmVolumeGroup,
  raidArray,
} from "./storage/arrays.ts";
import { httpProbe, tcpProbe } from "./network/probes.ts";
import { blackholeRoute, routingRule } from "./network/routing.ts";
import {
  environment,
  etcFile,
  kernelModule,
  securityProfile,
  sysctl,
  sysfs,
  udevRules,
} from "./system/system_settings.ts";
import { unattendedInstall } from "./system/unattended_install.ts";
import { veth, vrf } from "./network/virtual_links.ts";

import { bond } from "./network/bond.ts";
import { dhcp4, dhcp6 } from "./network/dhcp.ts";
import { ethernet } from "./network/ethernet.ts";
import { eventSink, kmsgLog } from "./system/receivers.ts";
import { existingVolume } from "./storage/existing_volume.ts";
import { extensionService } from "./system/extension_service.ts";
import { hostname, resolver, staticHost } from "./network/hosts.ts";
import { kubespan, kubespanEndpoints } from "./network/kubespan.ts";
import { bridge, dummyLink, link, vlan } from "./network/links.ts";
import { linkAlias } from "./network/link_alias.ts";
import { networkDefaultAction, networkRule } from "./network/firewall.ts";
import { oom } from "./system/oom.ts";
import { rawVolume, swapVolume } from "./storage/partition_volume.ts";
import { pciDriverRebind } from "./system/pci_driver_rebind.ts";
import {
  registryAuth,
  registryMirror,
  registryTls,
} from "./system/registries.ts";
import type { DocumentKind } from "./schema.ts";
import { timeSync } from "./network/time_sync.ts";
import { trustedRoots } from "./system/trusted_roots.ts";
import { tunnel } from "./network/tunnel.ts";
import { userVolume } from "./storage/user_volume.ts";
import { v1alpha1 } from "./v1alpha1/top.ts";
import { hcloudVip, layer2Vip } from "./network/vip.ts";
import { volume } from "./storage/volume.ts";
import { watchdogTimer } from "./system/watchdog_timer.ts";
import { wireguard } from "./network/wireguard.ts";
import { zswap } from "./storage/zswap.ts";

/** Kinds besides the main one, by topic; related ones together. */
export const documentTopics: Readonly<
  Record<string, readonly DocumentKind[]>
> = {
  "Links": [
    link,
    bond,
    bridge,
    dummyLink,
    vlan,
    vrf,
    veth,
    wireguard,
    linkAlias,
    ethernet,
  ],
  "Addresses and routes": [
    dhcp4,
    dhcp6,
    layer2Vip,
    hcloudVip,
    blackholeRoute,
    routingRule,
    bgpInstance,
  ],
  "Names, time and discovery": [
    hostname,
    resolver,
    staticHost,
    timeSync,
    kubespan,
    kubespanEndpoints,
    discoveryService,
    discoveryIdentity,
    tcpProbe,
    httpProbe,
  ],
  "Firewall": [
    networkDefaultAction,
    networkRule,
  ],
  "Storage": [
    volume,
    userVolume,
    rawVolume,
    existingVolume,
    externalVolume,
    swapVolume,
    zswap,
    filesystemTrim,
    filesystemScrub,
    raidArray,
    lvmVolumeGroup,
    lvmLogicalVolume,
  ],
  "Images and containers": [
    registryMirror,
    registryAuth,
    registryTls,
    imageVerification,
    imageCache,
    criBaseRuntimeSpec,
    criCustomization,
    container,
  ],
  "Kubernetes": [
    kubeCluster,
    kubeNetwork,
    kubeNode,
    kubelet,
    kubePrism,
    kubeApiServerCa,
    kubeAggregatorCa,
    kubeServiceAccount,
    kubeEtcdEncryption,
    kubeApiServer,
    kubeControllerManager,
    kubeScheduler,
    kubeProxy,
    kubeCoreDns,
    kubeFlannel,
    kubeAdmissionControl,
    kubeAuditPolicy,
    kubeAuthentication,
    kubeAuthorizer,
    kubeCredentialProvider,
    kubePodAccess,
    kubeInlineManifest,
    kubeExternalManifest,
    kubeStaticPod,
  ],
  "The system": [
    environment,
    sysctl,
    sysfs,
    kernelModule,
    udevRules,
    etcFile,
    securityProfile,
    unattendedInstall,
    eventSink,
    kmsgLog,
    watchdogTimer,
    oom,
    extensionService,
    trustedRoots,
    pciDriverRebind,
    tunnel,
  ],
};

/** Kinds by their names, the main one first. */
export const documentKinds: ReadonlyMap<string, DocumentKind> = new Map(
  [v1alpha1, ...Object.values(documentTopics).flat()]
    .map((kind) => [kind.kind, kind]),
);
