import type { Cursor } from "../cursor.ts";
import { linkFields, linkRules } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { choice } from "../scalars/scalars.ts";
import type { ScalarShape } from "../schema.ts";
import { documentKind } from "../table.ts";

const words = choice(["none", "active", "follow"]);

const otherPolicies = new Map([
  ["", "none"],
  ["0", "none"],
  ["1", "active"],
  ["2", "follow"],
]);

const macPolicies: ScalarShape = {
  ...words,
  read: (scalar) =>
    words.read({
      ...scalar,
      text: otherPolicies.get(scalar.text) ?? scalar.text,
    }),
};

export const bond = documentKind(rules)`
BondConfig | named, since 1.12, group links | A bond: several links used as one
  = With a switch that speaks LACP | {"name": "bond0", "links": ["enp0s3", "enp0s4"], "bondMode": "802.3ad",
    "miimon": 100, "updelay": 200, "downdelay": 200, "xmitHashPolicy": "layer3+4", "lacpRate": "fast",
    "addresses": [{"address": "10.0.0.2/24"}], "routes": [{"gateway": "10.0.0.1"}]}
  = With any switch | {"name": "bond0", "links": ["enp0s3", "enp0s4"], "bondMode": "active-backup",
    "miimon": 100}
  name            | text, always | Name of the bond | "bond0"
  hardwareAddr    | hardwareAddress, replace | Hardware address of the bond; default that of its first link
    = "02:00:00:00:00:03"
  links           | list(text), required | Names or aliases of the member links | ["enp0s3", "enp0s4"]
  bondMode        | choice(balance-rr active-backup balance-xor broadcast 802.3ad balance-tlb balance-alb), optional, required | Bonding mode
    = "802.3ad"
  miimon          | u32, optional | MII link monitoring interval, in milliseconds
  updelay         | u32, optional | Delay before a link that came up is used, in milliseconds
  downdelay       | u32, optional | Delay before a link that went down is disabled, in milliseconds
  useCarrier      | boolean, optional | Whether to use the driver's carrier state instead of MII registers
  xmitHashPolicy  | choice(layer2 layer3+4 layer2+3 encap2+3 encap3+4), optional | Transmit hash policy
  arpInterval     | u32, optional | Interval between ARP probes, in milliseconds
  arpIpTargets    | list(address) | IPv4 addresses to probe with ARP | ["10.0.0.1"]
  nsIp6Targets    | list(address) | IPv6 addresses to probe with neighbor solicitations | ["fd00::1"]
  arpValidate     | choice(none active backup all filter filter-active filter-backup), optional | Links on which ARP probes and replies are validated
  arpAllTargets   | choice(any all), optional | Whether any or all probed addresses must reply for a link to be up
  lacpRate        | choice(slow fast), optional | Rate at which the partner is asked to send LACP packets
  failOverMac     | ${macPolicies}, optional | How hardware addresses change on failover
  adSelect        | choice(stable bandwidth count), optional | How the active 802.3ad aggregator is selected
  adActorSysPrio  | u16, optional | LACP system priority
  adUserPortKey   | u16, optional | Upper bits of the LACP port key
  adLACPActive    | choice(off on), optional | Whether LACP packets are sent periodically
  primaryReselect | choice(always better failure), optional | When the primary link becomes active again
  resendIGMP      | u32, optional | Number of IGMP reports sent after a failover
  minLinks        | u32, optional | Minimum number of links that must be up for the bond to be up
  lpInterval      | u32, optional | Interval between learning packets sent to switches, in seconds
  packetsPerSlave | u32, optional | Packets to send over one link before moving to the next
  numPeerNotif    | u8, optional | Number of peer notifications sent after a failover
  tlbLogicalLb    | u8, optional | Whether balance-tlb distributes flows by load, 0 or 1
  allSlavesActive | u8, optional | Whether backup links accept received packets, 0 or 1
  peerNotifDelay  | u32, optional | Delay between peer notifications, in milliseconds
  missedMax       | u8, optional | Unanswered ARP probes before a link counts as down
  ...${linkFields}
`;

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
