/** VLANs of an interface of `machine.network.interfaces`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { addressListRules } from "./interface_addresses.ts";
import { isGiven, textOf } from "./texts.ts";

/** Addresses of VLANs can be read. */
export function* vlanRules(vlans: Cursor): Iterable<Problem> {
  for (const vlan of vlans.items()) {
    if (isGiven(vlan)) {
      const id = textOf(vlan.get("vlanId")) || "0";
      yield* addressListRules(vlan, `VLAN ${id}`);
    } else {
      yield vlan.error("A VLAN is empty", "Fill it in, or remove it");
    }
  }
}
