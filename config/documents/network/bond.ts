/** A bond. */

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

/** What nodes take for these words as well. */
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
    "Hardware address of the bond; that of its first link when absent",
    { merge: "replace", example: "02:00:00:00:00:03" },
  ),
  links: field(
    list(openText),
    "Names or aliases of the links that are bonded",
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
      "How packets are spread over the links",
    ),
    required: true,
    examples: [{ value: "802.3ad" }],
  },
  miimon: perhaps(u32, "Milliseconds between checks of the links"),
  updelay: perhaps(u32, "Milliseconds until a link that came up is used"),
  downdelay: perhaps(u32, "Milliseconds until a link that went down is left"),
  useCarrier: perhaps(
    boolean,
    "Whether drivers are asked for the carrier, instead of the MII registers",
  ),
  xmitHashPolicy: word(
    ["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"],
    "What of a packet chooses its link",
  ),
  arpInterval: perhaps(u32, "Milliseconds between ARP probes"),
  arpIpTargets: field(
    list(address),
    "IPv4 addresses that are probed with ARP",
    { example: ["10.0.0.1"] },
  ),
  nsIp6Targets: field(
    list(address),
    "IPv6 addresses that are probed with neighbour solicitations",
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
    "On which links probes and their answers are checked",
  ),
  arpAllTargets: word(
    ["any", "all"],
    "How many probed addresses must answer on a link that is up",
  ),
  lacpRate: word(["slow", "fast"], "How often the partner sends LACP packets"),
  failOverMac: field(
    numberedMacPolicies,
    "Whose hardware address counts after a change of the active link",
    { optional: true },
  ),
  adSelect: word(
    ["stable", "bandwidth", "count"],
    "How one of several 802.3ad aggregates is chosen",
  ),
  adActorSysPrio: perhaps(u16, "Priority of this system in LACP"),
  adUserPortKey: perhaps(u16, "Upper part of the port key in LACP"),
  adLACPActive: word(
    ["off", "on"],
    "Whether LACP packets are sent without being asked",
  ),
  primaryReselect: word(
    ["always", "better", "failure"],
    "When the preferred link becomes active again",
  ),
  resendIGMP: perhaps(u32, "IGMP reports after a change of the active link"),
  minLinks: perhaps(u32, "Links that must be up for the bond to be up"),
  lpInterval: perhaps(u32, "Seconds between learning packets to switches"),
  packetsPerSlave: perhaps(u32, "Packets over one link before the next one"),
  numPeerNotif: perhaps(u8, "Announcements after a change of the active link"),
  tlbLogicalLb: perhaps(u8, "Whether balance-tlb hashes flows, 0 or 1"),
  allSlavesActive: perhaps(u8, "Whether backup links receive too, 0 or 1"),
  peerNotifDelay: perhaps(u32, "Milliseconds between announcements"),
  missedMax: perhaps(
    u8,
    "Probes without an answer until a link counts as down",
  ),
};

/** `BondConfig`. */
export const bond: DocumentKind = {
  kind: "BondConfig",
  summary: "Several links that work as one",
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
          `"${key}" is not given for a bond of mode "802.3ad"`,
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
