/** `machine.network.interfaces[].bond` and selectors of devices. */

import { bond as document } from "../network/bond.ts";
import { boolean, openText, u8, words } from "../scalars/scalars.ts";
import type { Field, StructShape } from "../schema.ts";
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
  mode: { ...like("bondMode", "balance-rr"), always: true },
  xmitHashPolicy: like("xmitHashPolicy", "layer2"),
  lacpRate: like("lacpRate", "slow"),
  adActorSystem: field(
    openText,
    "System address in the protocol; not supported by any node",
  ),
  arpValidate: like("arpValidate", "none"),
  arpAllTargets: like("arpAllTargets", "any"),
  primary: field(openText, "Device used whenever it is up"),
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
    "Whether flows move between devices by load, 0 or 1",
  ),
  allSlavesActive: like("allSlavesActive"),
  useCarrier: flag("The driver's word about the link is trusted", "true"),
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
