/** Addresses of an interface of `machine.network.interfaces`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { addressHint, isAddress, isAddressOrCidr } from "./checks.ts";
import { isGiven, textOf, textsOf } from "./texts.ts";

/**
 * Addresses of an interface can be read, and it may have some.
 *
 * @param part It belongs to a bond or a bridge, which has the addresses then.
 */
export function* addressingRules(
  link: Cursor,
  part: boolean,
): Iterable<Problem> {
  const name = textOf(link.get("interface"));
  if (part && isAddressed(link)) {
    yield link.error(
      `Interface "${name}" is part of a bond or bridge and has addresses`,
      "Move dhcp, addresses and vip to the bond or bridge",
    );
  }
  yield* addressListRules(link, `Interface "${name}"`);
  const cidr = link.get("cidr");
  if (textOf(cidr) !== "") {
    yield cidr.warning(
      `Interface "${name}" has its address under cidr, which is deprecated`,
      "List it in addresses",
    );
  }
  const address = link.get("vip", "ip");
  if (isGiven(link.get("vip")) && !isAddress(textOf(address))) {
    yield address.error(
      `Shared address "${textOf(address)}" is not an IP address`,
      "Write an IP address such as 10.0.0.2, without a prefix length",
    );
  }
}

/** `cidr` and `addresses` of an interface or a VLAN. */
export function* addressListRules(
  holder: Cursor,
  subject: string,
): Iterable<Problem> {
  const cidr = holder.get("cidr");
  const old = textOf(cidr);
  const addresses = textsOf(holder.get("addresses"));
  if (old !== "" && addresses.length > 0) {
    yield cidr.error(
      `${subject} has both cidr and addresses`,
      "Remove cidr and list it in addresses",
    );
  }
  const written = old === "" ? addresses : [[cidr, old] as const, ...addresses];
  for (const [place, address] of written) {
    if (isAddressOrCidr(address)) continue;
    yield place.error(`"${address}" is not an IP address`, addressHint);
  }
}

function isAddressed(link: Cursor): boolean {
  return link.get("dhcp").truth() === true || textOf(link.get("cidr")) !== "" ||
    textsOf(link.get("addresses")).length > 0 || isGiven(link.get("vip"));
}
