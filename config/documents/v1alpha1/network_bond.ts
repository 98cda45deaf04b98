/** `machine.network.interfaces[].bond` and selectors of devices. */

import { boolean, openText, u16, u32, u8, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

/** Finds a network device by what it is. */
export const deviceSelector: StructShape = struct({
  busPath: { shape: openText, summary: "Pattern for the place on the bus" },
  hardwareAddr: {
    shape: openText,
    summary: "Pattern for the hardware address in use",
  },
  permanentAddr: {
    shape: openText,
    since: "1.9",
    summary: "Pattern for the hardware address the device was made with",
  },
  pciID: { shape: openText, summary: "Pattern for vendor and product on PCI" },
  driver: { shape: openText, summary: "Pattern for the kernel driver" },
  physical: {
    shape: boolean,
    optional: true,
    summary: "Whether the device is a real one",
  },
});

/** Several devices as one link. */
export const bond: StructShape = struct({
  interfaces: {
    shape: list(openText),
    always: true,
    summary: "Names of the devices",
  },
  deviceSelectors: {
    shape: list(deviceSelector),
    summary: "Finds the devices by what they are",
  },
  arpIPTarget: {
    shape: list(openText),
    summary: "Addresses asked by ARP; not supported by any node",
  },
  mode: {
    shape: words([
      "balance-rr",
      "active-backup",
      "balance-xor",
      "broadcast",
      "802.3ad",
      "balance-tlb",
      "balance-alb",
    ]),
    always: true,
    summary: "How the devices work together",
    initial: "balance-rr",
  },
  xmitHashPolicy: {
    shape: words(["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"]),
    summary: "What of a packet decides which device sends it",
    initial: "layer2",
  },
  lacpRate: {
    shape: words(["slow", "fast"]),
    summary: "How often the partner is asked to announce itself",
    initial: "slow",
  },
  adActorSystem: {
    shape: openText,
    summary: "System address in the protocol; not supported by any node",
  },
  arpValidate: {
    shape: words([
      "none",
      "active",
      "backup",
      "all",
      "filter",
      "filter-active",
      "filter-backup",
    ]),
    summary: "Which ARP packets are checked",
    initial: "none",
  },
  arpAllTargets: {
    shape: words(["any", "all"]),
    summary: "How many ARP targets must answer",
    initial: "any",
  },
  primary: { shape: openText, summary: "Device used whenever it is up" },
  primaryReselect: {
    shape: words(["always", "better", "failure"]),
    summary: "When the primary device takes over again",
    initial: "always",
  },
  failOverMac: {
    shape: words(["none", "active", "follow"]),
    summary: "Whose hardware address the bond has",
    initial: "none",
  },
  adSelect: {
    shape: words(["stable", "bandwidth", "count"]),
    summary: "How the active aggregate is chosen",
    initial: "stable",
  },
  miimon: {
    shape: u32,
    summary: "Time between looks at the link state, in milliseconds",
  },
  updelay: {
    shape: u32,
    summary: "Wait before a device that came up is used, in milliseconds",
  },
  downdelay: {
    shape: u32,
    summary: "Wait before a device that went down is left, in milliseconds",
  },
  arpInterval: {
    shape: u32,
    summary: "Time between ARP requests, in milliseconds",
  },
  resendIgmp: {
    shape: u32,
    summary: "Group memberships sent after a change of device",
  },
  minLinks: {
    shape: u32,
    summary: "Devices that must be up for the bond to be up",
  },
  lpInterval: {
    shape: u32,
    summary: "Time between learning packets, in seconds",
  },
  packetsPerSlave: {
    shape: u32,
    summary: "Packets sent on one device before the next",
  },
  numPeerNotif: {
    shape: u8,
    summary: "Announcements sent after a change of device",
  },
  tlbDynamicLb: {
    shape: u8,
    summary: "Whether flows move between devices by load, 0 or 1",
  },
  allSlavesActive: {
    shape: u8,
    summary: "Whether idle devices receive too, 0 or 1",
  },
  useCarrier: flag("The driver's word about the link is trusted", "true"),
  adActorSysPrio: { shape: u16, summary: "Priority of the system, LACP" },
  adUserPortKey: { shape: u16, summary: "Upper part of the port key, LACP" },
  peerNotifyDelay: {
    shape: u32,
    summary: "Time between announcements, in milliseconds",
  },
});
