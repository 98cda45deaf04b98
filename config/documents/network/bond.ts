import type { Cursor } from "../cursor.ts";
import { linkFields, linkRules } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import {
  address,
  boolean,
  choice,
  hardwareAddress,
  openText,
  u16,
  u32,
  u8,
} from "../scalars/scalars.ts";
import type { DocumentKind, Field, Fields, ScalarShape } from "../schema.ts";
import { field, list, nameField } from "../shapes.ts";

const macPolicies = choice(["none", "active", "follow"]);

const otherPolicies = new Map([
  ["", "none"],
  ["0", "none"],
  ["1", "active"],
  ["2", "follow"],
]);

const numberedMacPolicies: ScalarShape = {
  ...macPolicies,
  read: (scalar) =>
    macPolicies.read({
      ...scalar,
      text: otherPolicies.get(scalar.text) ?? scalar.text,
    }),
};

const own: Fields = {
  name: nameField("Name of the bond", "bond0"),
  hardwareAddr: field(
    hardwareAddress,
    "Hardware address of the bond; default that of its first link",
    { merge: "replace", example: "02:00:00:00:00:03" },
  ),
  links: field(
    list(openText),
    "Names or aliases of the member links",
    { required: true, example: ["enp0s3", "enp0s4"] },
  ),
  bondMode: {
    ...word(
      [
        "balance-rr",
        "active-backup",
        "balance-xor",
        "broadcast",
        "802.3ad",
        "balance-tlb",
        "balance-alb",
      ],
      "Bonding mode",
    ),
    required: true,
    examples: [{ value: "802.3ad" }],
  },
  miimon: perhaps(u32, "MII link monitoring interval, in milliseconds"),
  updelay: perhaps(
    u32,
    "Delay before a link that came up is used, in milliseconds",
  ),
  downdelay: perhaps(
    u32,
    "Delay before a link that went down is disabled, in milliseconds",
  ),
  useCarrier: perhaps(
    boolean,
    "Whether to use the driver's carrier state instead of MII registers",
  ),
  xmitHashPolicy: word(
    ["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"],
    "Transmit hash policy",
  ),
  arpInterval: perhaps(u32, "Interval between ARP probes, in milliseconds"),
  arpIpTargets: field(
    list(address),
    "IPv4 addresses to probe with ARP",
    { example: ["10.0.0.1"] },
  ),
  nsIp6Targets: field(
    list(address),
    "IPv6 addresses to probe with neighbor solicitations",
    { example: ["fd00::1"] },
  ),
  arpValidate: word(
    [
      "none",
      "active",
      "backup",
      "all",
      "filter",
      "filter-active",
      "filter-backup",
    ],
    "Links on which ARP probes and replies are validated",
  ),
  arpAllTargets: word(
    ["any", "all"],
    "Whether any or all probed addresses must reply for a link to be up",
  ),
  lacpRate: word(
    ["slow", "fast"],
    "Rate at which the partner is asked to send LACP packets",
  ),
  failOverMac: field(
    numberedMacPolicies,
    "How hardware addresses change on failover",
    { optional: true },
  ),
  adSelect: word(
    ["stable", "bandwidth", "count"],
    "How the active 802.3ad aggregator is selected",
  ),
  adActorSysPrio: perhaps(u16, "LACP system priority"),
  adUserPortKey: perhaps(u16, "Upper bits of the LACP port key"),
  adLACPActive: word(
    ["off", "on"],
    "Whether LACP packets are sent periodically",
  ),
  primaryReselect: word(
    ["always", "better", "failure"],
    "When the primary link becomes active again",
  ),
  resendIGMP: perhaps(u32, "Number of IGMP reports sent after a failover"),
  minLinks: perhaps(
    u32,
    "Minimum number of links that must be up for the bond to be up",
  ),
  lpInterval: perhaps(
    u32,
    "Interval between learning packets sent to switches, in seconds",
  ),
  packetsPerSlave: perhaps(
    u32,
    "Packets to send over one link before moving to the next",
  ),
  numPeerNotif: perhaps(
    u8,
    "Number of peer notifications sent after a failover",
  ),
  tlbLogicalLb: perhaps(
    u8,
    "Whether balance-tlb distributes flows by load, 0 or 1",
  ),
  allSlavesActive: perhaps(
    u8,
    "Whether backup links accept received packets, 0 or 1",
  ),
  peerNotifDelay: perhaps(
    u32,
    "Delay between peer notifications, in milliseconds",
  ),
  missedMax: perhaps(
    u8,
    "Unanswered ARP probes before a link counts as down",
  ),
};

/** `BondConfig`. */
export const bond: DocumentKind = {
  kind: "BondConfig",
  summary: "A bond: several links used as one",
  named: true,
  since: "1.12",
  group: "links",
  fields: { ...own, ...linkFields },
  examples: [
    {
      title: "With a switch that speaks LACP",
      value: {
        name: "bond0",
        links: ["enp0s3", "enp0s4"],
        bondMode: "802.3ad",
        miimon: 100,
        updelay: 200,
        downdelay: 200,
        xmitHashPolicy: "layer3+4",
        lacpRate: "fast",
        addresses: [{ address: "10.0.0.2/24" }],
        routes: [{ gateway: "10.0.0.1" }],
      },
    },
    {
      title: "With any switch",
      value: {
        name: "bond0",
        links: ["enp0s3", "enp0s4"],
        bondMode: "active-backup",
        miimon: 100,
      },
    },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  if (document.get("bondMode").text()?.toLowerCase() === "802.3ad") {
    for (const key of ["miimon", "updelay", "downdelay"]) {
      const delay = document.get(key);
      if (delay.node === undefined) {
        yield delay.warning(
          `"${key}" is missing for bond mode "802.3ad"`,
          "Give a number of milliseconds, such as 100",
        );
      }
    }
  }
  yield* linkRules(document);
}

function perhaps(shape: ScalarShape, summary: string): Field {
  return { shape, optional: true, summary };
}

function word(values: readonly string[], summary: string): Field {
  return perhaps(choice(values, { insensitive: true }), summary);
}
