/** `machine.network.interfaces[].bond` and selectors of devices. */

import { bond as document } from "../network/bond.ts";
import { boolean, openText, u8, words } from "../scalars/scalars.ts";
import type { Field, StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

/** Finds a network device by what it is. */
export const deviceSelector: StructShape = struct({
  busPath: field(openText, "Bus path; may contain wildcards"),
  hardwareAddr: field(
    openText,
    "Current hardware address; may contain wildcards",
  ),
  permanentAddr: field(
    openText,
    "Permanent hardware address; may contain wildcards",
    { since: "1.9" },
  ),
  pciID: field(openText, "PCI vendor and product id; may contain wildcards"),
  driver: field(openText, "Kernel driver; may contain wildcards"),
  physical: field(boolean, "Whether the device is physical", {
    optional: true,
  }),
});

/** Several devices as one link. */
export const bond: StructShape = struct({
  interfaces: field(list(openText), "Names of the member interfaces", {
    always: true,
  }),
  deviceSelectors: field(
    list(deviceSelector),
    "Selects the member interfaces by their properties",
  ),
  arpIPTarget: field(
    list(openText),
    "IPv4 addresses to probe with ARP; not supported by nodes",
  ),
  mode: { ...like("bondMode", "balance-rr"), always: true },
  xmitHashPolicy: like("xmitHashPolicy", "layer2"),
  lacpRate: like("lacpRate", "slow"),
  adActorSystem: field(
    openText,
    "LACP system address; not supported by nodes",
  ),
  arpValidate: like("arpValidate", "none"),
  arpAllTargets: like("arpAllTargets", "any"),
  primary: field(openText, "Primary interface, active whenever it is up"),
  primaryReselect: like("primaryReselect", "always"),
  failOverMac: like("failOverMac", "none"),
  adSelect: like("adSelect", "stable"),
  miimon: like("miimon"),
  updelay: like("updelay"),
  downdelay: like("downdelay"),
  arpInterval: like("arpInterval"),
  resendIgmp: like("resendIGMP"),
  minLinks: like("minLinks"),
  lpInterval: like("lpInterval"),
  packetsPerSlave: like("packetsPerSlave"),
  numPeerNotif: like("numPeerNotif"),
  tlbDynamicLb: field(
    u8,
    "Whether balance-tlb distributes flows by load, 0 or 1",
  ),
  allSlavesActive: like("allSlavesActive"),
  useCarrier: flag(
    "Uses the driver's carrier state instead of MII registers",
    "true",
  ),
  adActorSysPrio: like("adActorSysPrio"),
  adUserPortKey: like("adUserPortKey"),
  peerNotifyDelay: like("peerNotifDelay"),
});

/** The same as in a `BondConfig`, but any text is read, and nothing given is 0 or `initial`. */
function like(name: string, initial?: string): Field {
  const { shape = openText, summary = "" } = document.fields[name] ?? {};
  const values = shape.shape === "scalar" ? shape.values : undefined;
  return field(values ? words(values) : shape, summary, {
    ...initial && { initial },
  });
}
