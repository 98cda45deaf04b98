/** Every kind of document. */

import { bond } from "./network/bond.ts";
import { dhcp4, dhcp6 } from "./network/dhcp.ts";
import { ethernet } from "./network/ethernet.ts";
import { eventSink, kmsgLog } from "./receivers.ts";
import { existingVolume } from "./storage/existing_volume.ts";
import { extensionService } from "./extension_service.ts";
import { hostname, resolver, staticHost } from "./network/hosts.ts";
import { kubespanEndpoints } from "./network/kubespan_endpoints.ts";
import { bridge, dummyLink, link, vlan } from "./network/links.ts";
import { linkAlias } from "./network/link_alias.ts";
import { networkDefaultAction, networkRule } from "./network/firewall.ts";
import { oom } from "./oom.ts";
import { rawVolume, swapVolume } from "./storage/partition_volume.ts";
import { pciDriverRebind } from "./pci_driver_rebind.ts";
import { registryAuth, registryMirror, registryTls } from "./registries.ts";
import type { DocumentKind } from "./schema.ts";
import { timeSync } from "./network/time_sync.ts";
import { trustedRoots } from "./trusted_roots.ts";
import { tunnel } from "./network/tunnel.ts";
import { userVolume } from "./storage/user_volume.ts";
import { v1alpha1 } from "./v1alpha1/top.ts";
import { hcloudVip, layer2Vip } from "./network/vip.ts";
import { volume } from "./storage/volume.ts";
import { watchdogTimer } from "./watchdog_timer.ts";
import { wireguard } from "./network/wireguard.ts";
import { zswap } from "./storage/zswap.ts";

const links = [
  link,
  bond,
  bridge,
  dummyLink,
  vlan,
  wireguard,
  linkAlias,
  ethernet,
];
const addressing = [dhcp4, dhcp6, layer2Vip, hcloudVip];
const hosts = [hostname, resolver, staticHost, timeSync, kubespanEndpoints];
const firewall = [networkDefaultAction, networkRule];
const storage = [
  volume,
  userVolume,
  rawVolume,
  existingVolume,
  swapVolume,
  zswap,
];
const registries = [registryMirror, registryAuth, registryTls];
const runtime = [eventSink, kmsgLog, watchdogTimer, oom, extensionService];
const others = [trustedRoots, pciDriverRebind, tunnel];

/** Kinds by their names, related ones together. */
export const documentKinds: ReadonlyMap<string, DocumentKind> = new Map(
  [
    v1alpha1,
    ...links,
    ...addressing,
    ...hosts,
    ...firewall,
    ...storage,
    ...registries,
    ...runtime,
    ...others,
  ].map((kind) => [kind.kind, kind]),
);
