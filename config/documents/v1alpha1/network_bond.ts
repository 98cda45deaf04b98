/** `machine.network.interfaces[].bond` and selectors of devices. */

import { boolean, openText, u16, u32, u8, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

/** Finds a network device by what it is. */
export const deviceSelector: StructShape = struct({
  busPath: field(openText, "Pattern for the place on the bus"),
  hardwareAddr: field(openText, "Pattern for the hardware address in use"),
  permanentAddr: field(
    openText,
    "Pattern for the hardware address the device was made with",
    { since: "1.9" },
  ),
  pciID: field(openText, "Pattern for vendor and product on PCI"),
  driver: field(openText, "Pattern for the kernel driver"),
  physical: field(boolean, "Whether the device is a real one", {
    optional: true,
  }),
});

/** Several devices as one link. */
export const bond: StructShape = struct({
  interfaces: field(list(openText), "Names of the devices", { always: true }),
  deviceSelectors: field(
    list(deviceSelector),
    "Finds the devices by what they are",
  ),
  arpIPTarget: field(
    list(openText),
    "Addresses asked by ARP; not supported by any node",
  ),
  mode: field(
    words([
      "balance-rr",
      "active-backup",
      "balance-xor",
      "broadcast",
      "802.3ad",
      "balance-tlb",
      "balance-alb",
    ]),
    "How the devices work together",
    { always: true, initial: "balance-rr" },
  ),
  xmitHashPolicy: field(
    words(["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"]),
    "What of a packet decides which device sends it",
    { initial: "layer2" },
  ),
  lacpRate: field(
    words(["slow", "fast"]),
    "How often the partner is asked to announce itself",
    { initial: "slow" },
  ),
  adActorSystem: field(
    openText,
    "System address in the protocol; not supported by any node",
  ),
  arpValidate: field(
    words([
      "none",
      "active",
      "backup",
      "all",
      "filter",
      "filter-active",
      "filter-backup",
    ]),
    "Which ARP packets are checked",
    { initial: "none" },
  ),
  arpAllTargets: field(
    words(["any", "all"]),
    "How many ARP targets must answer",
    { initial: "any" },
  ),
  primary: field(openText, "Device used whenever it is up"),
  primaryReselect: field(
    words(["always", "better", "failure"]),
    "When the primary device takes over again",
    { initial: "always" },
  ),
  failOverMac: field(
    words(["none", "active", "follow"]),
    "Whose hardware address the bond has",
    { initial: "none" },
  ),
  adSelect: field(
    words(["stable", "bandwidth", "count"]),
    "How the active aggregate is chosen",
    { initial: "stable" },
  ),
  miimon: field(u32, "Time between looks at the link state, in milliseconds"),
  updelay: field(
    u32,
    "Wait before a device that came up is used, in milliseconds",
  ),
  downdelay: field(
    u32,
    "Wait before a device that went down is left, in milliseconds",
  ),
  arpInterval: field(u32, "Time between ARP requests, in milliseconds"),
  resendIgmp: field(u32, "Group memberships sent after a change of device"),
  minLinks: field(u32, "Devices that must be up for the bond to be up"),
  lpInterval: field(u32, "Time between learning packets, in seconds"),
  packetsPerSlave: field(u32, "Packets sent on one device before the next"),
  numPeerNotif: field(u8, "Announcements sent after a change of device"),
  tlbDynamicLb: field(u8, "Whether flows move between devices by load, 0 or 1"),
  allSlavesActive: field(u8, "Whether idle devices receive too, 0 or 1"),
  useCarrier: flag("The driver's word about the link is trusted", "true"),
  adActorSysPrio: field(u16, "Priority of the system, LACP"),
  adUserPortKey: field(u16, "Upper part of the port key, LACP"),
  peerNotifyDelay: field(u32, "Time between announcements, in milliseconds"),
});
