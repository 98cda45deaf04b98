/** Every kind of document. */

import { bond } from "./bond.ts";
import { bridge } from "./bridge.ts";
import { dhcp4, dhcp6 } from "./dhcp.ts";
import { dummyLink } from "./dummy_link.ts";
import { ethernet } from "./ethernet.ts";
import { eventSink } from "./event_sink.ts";
import { existingVolume } from "./existing_volume.ts";
import { extensionService } from "./extension_service.ts";
import { hostname } from "./hostname.ts";
import { kmsgLog } from "./kmsg_log.ts";
import { kubespanEndpoints } from "./kubespan_endpoints.ts";
import { link } from "./link.ts";
import { linkAlias } from "./link_alias.ts";
import { networkDefaultAction } from "./network_default_action.ts";
import { networkRule } from "./network_rule.ts";
import { oom } from "./oom.ts";
import { rawVolume, swapVolume } from "./partition_volume.ts";
import { pciDriverRebind } from "./pci_driver_rebind.ts";
import { registryAuth } from "./registry_auth.ts";
import { registryMirror } from "./registry_mirror.ts";
import { registryTls } from "./registry_tls.ts";
import { resolver } from "./resolver.ts";
import type { DocumentKind } from "./schema.ts";
import { staticHost } from "./static_host.ts";
import { timeSync } from "./time_sync.ts";
import { trustedRoots } from "./trusted_roots.ts";
import { tunnel } from "./tunnel.ts";
import { userVolume } from "./user_volume.ts";
import { v1alpha1 } from "./v1alpha1/top.ts";
import { hcloudVip, layer2Vip } from "./vip.ts";
import { vlan } from "./vlan.ts";
import { volume } from "./volume.ts";
import { watchdogTimer } from "./watchdog_timer.ts";
import { wireguard } from "./wireguard.ts";
import { zswap } from "./zswap.ts";

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
