/** `machine.network.interfaces`. */

import { base64Length, splitHostPort } from "../documents/checks.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { bondRules } from "./bond.ts";
import {
  addressHint,
  isAddress,
  isAddressOrCidr,
  isCidr,
  isGiven,
  listTexts,
  readRole,
  readText,
} from "./checks.ts";

/** All rules of interfaces. */
export function* interfaceRules(root: Cursor): Iterable<Problem> {
  const all = root.get("machine", "network", "interfaces").elements();
  for (const link of all.filter((link) => !isGiven(link))) {
    yield link.error("An interface is empty", "Fill it in, or remove it");
  }
  const links = all.filter(isGiven);
  yield* membershipRules(links);
  if (readRole(root) === "worker") yield* sharedAddressRules(links);
  const parts = new Set(links.flatMap(listParts).map(([, name]) => name));
  for (const link of links) {
    // A node ignores such an interface, so nothing is checked.
    if (link.get("ignore").truth() === true) continue;
    yield* namingRules(link);
    yield* bondRules(link.get("bond"));
    yield* wireguardRules(link.get("wireguard"));
    yield* vlanRules(link.get("vlans"));
    yield* addressingRules(link, parts.has(readText(link.get("interface"))));
    yield* routeRules(link.get("routes"));
  }
}

/** An interface may belong to at most one bond or bridge. */
function* membershipRules(links: readonly Cursor[]): Iterable<Problem> {
  const owners = new Map<string, string>();
  for (const link of links) {
    const name = readText(link.get("interface"));
    const bond = link.get("bond");
    if (isGiven(bond) && isGiven(link.get("bridge"))) {
      yield link.error(
        `Interface "${name}" is both a bond and a bridge`,
        "Remove one of the two",
      );
    }
    if (
      listTexts(bond.get("interfaces")).length > 0 &&
      bond.get("deviceSelectors").elements().some(isGiven)
    ) {
      yield bond.error(
        `Bond "${name}" has both interfaces and deviceSelectors`,
        "Remove one of the two",
      );
    }
    for (const [place, part] of listParts(link)) {
      const owner = owners.get(part);
      if (owner !== undefined && owner !== name) {
        yield place.error(
          `Interface "${part}" is part of both "${owner}" and "${name}"`,
          "Remove it from one of them",
        );
      }
      owners.set(part, name);
    }
  }
}

/** Interfaces of a bond or a bridge. */
function listParts(link: Cursor): (readonly [Cursor, string])[] {
  const whole = isGiven(link.get("bridge")) ? "bridge" : "bond";
  return listTexts(link.get(whole, "interfaces"));
}

/** Workers do not take part in the election of the shared address. */
function* sharedAddressRules(links: readonly Cursor[]): Iterable<Problem> {
  for (const link of links) {
    for (const holder of [link, ...link.get("vlans").elements()]) {
      const vip = holder.get("vip");
      if (!isGiven(vip)) continue;
      yield vip.error(
        `Virtual IP "${readText(vip.get("ip"))}" is configured on a worker`,
        "Remove it; only control planes can hold one",
      );
    }
  }
}

function* namingRules(link: Cursor): Iterable<Problem> {
  const name = readText(link.get("interface"));
  const selector = link.get("deviceSelector");
  if (name === "" && !isGiven(selector)) {
    yield link.error(
      "An interface has neither a name nor a selector",
      "Give interface or deviceSelector",
    );
  } else if (name !== "" && isGiven(selector)) {
    yield selector.error(
      `Interface "${name}" has both a name and a selector`,
      "Remove interface or deviceSelector",
    );
  }
  if (isGiven(selector) && !selects(selector)) {
    yield selector.error(
      "An interface selector is empty",
      "Give one of busPath, hardwareAddr, permanentAddr, pciID, driver and physical",
    );
  }
}

/** A boolean selects even if false, an empty text does not. */
function selects(selector: Cursor): boolean {
  return selector.entries().some(([name, place]) =>
    isGiven(place) && (name === "physical" || readText(place) !== "")
  );
}

/**
 * Addresses of an interface must be valid, and allowed.
 *
 * @param part True if it belongs to a bond or a bridge, which has the addresses instead.
 */
function* addressingRules(
  link: Cursor,
  part: boolean,
): Iterable<Problem> {
  const name = readText(link.get("interface"));
  if (part && isAddressed(link)) {
    yield link.error(
      `Interface "${name}" is part of a bond or bridge and has addresses`,
      "Move dhcp, addresses and vip to the bond or bridge",
    );
  }
  yield* addressListRules(link, `Interface "${name}"`);
  const cidr = link.get("cidr");
  if (readText(cidr) !== "") {
    yield cidr.warning(
      `Interface "${name}" has its address under cidr, which is deprecated`,
      "List it in addresses",
    );
  }
  const address = link.get("vip", "ip");
  if (isGiven(link.get("vip")) && !isAddress(readText(address))) {
    yield address.error(
      `Virtual IP "${readText(address)}" is not an IP address`,
      "Write an IP address such as 10.0.0.2, without a prefix length",
    );
  }
}

/** `cidr` and `addresses` of an interface or a VLAN. */
function* addressListRules(
  holder: Cursor,
  subject: string,
): Iterable<Problem> {
  const cidr = holder.get("cidr");
  const old = readText(cidr);
  const addresses = listTexts(holder.get("addresses"));
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
  return link.get("dhcp").truth() === true ||
    readText(link.get("cidr")) !== "" ||
    listTexts(link.get("addresses")).length > 0 || isGiven(link.get("vip"));
}

/** Every route needs a destination and valid addresses. */
function* routeRules(routes: Cursor): Iterable<Problem> {
  for (const route of routes.elements()) {
    const network = route.get("network");
    if (
      !isGiven(route) ||
      (readText(network) === "" && readText(route.get("gateway")) === "")
    ) {
      yield route.error(
        "A route has neither a network nor a gateway",
        "Give network, gateway or both",
      );
    }
    if (readText(network) !== "" && !isCidr(readText(network))) {
      yield network.error(
        `Network "${readText(network)}" is not in CIDR notation`,
        "Write a network such as 10.0.0.0/8; 0.0.0.0/0 is everything",
      );
    }
    for (const name of ["gateway", "source"]) {
      const address = route.get(name);
      if (readText(address) === "" || isAddress(readText(address))) continue;
      yield address.error(
        `"${readText(address)}" is not an IP address`,
        "Write an IP address such as 10.0.0.1, without a prefix length",
      );
    }
  }
}

/** VLAN addresses must be valid. */
function* vlanRules(vlans: Cursor): Iterable<Problem> {
  for (const vlan of vlans.elements()) {
    if (isGiven(vlan)) {
      const id = readText(vlan.get("vlanId")) || "0";
      yield* addressListRules(vlan, `VLAN ${id}`);
    } else {
      yield vlan.error("A VLAN is empty", "Fill it in, or remove it");
    }
  }
}

const keyHint = "Write the 32 bytes of the key in base64";

/** Keys must have the right length, peers must be reachable. */
function* wireguardRules(wireguard: Cursor): Iterable<Problem> {
  if (!isGiven(wireguard)) return;
  const key = wireguard.get("privateKey");
  if (base64Length(readText(key)) !== 32) {
    // Without the value: it may be a real key with an extra character.
    yield key.error("The private key is not 32 bytes in base64", keyHint);
  }
  for (const peer of wireguard.get("peers").elements()) yield* peerRules(peer);
}

function* peerRules(peer: Cursor): Iterable<Problem> {
  if (!isGiven(peer)) {
    yield peer.error("A peer is empty", "Fill it in, or remove it");
    return;
  }
  const key = peer.get("publicKey");
  if (base64Length(readText(key)) !== 32) {
    yield key.error(
      `Public key "${readText(key)}" is not 32 bytes in base64`,
      keyHint,
    );
  }
  const endpoint = peer.get("endpoint");
  if (readText(endpoint) !== "" && !hasPort(readText(endpoint))) {
    yield endpoint.error(
      `Peer endpoint "${readText(endpoint)}" has no port`,
      "Write it as HOST:51820, an IPv6 address as [fd00::1]:51820",
    );
  }
  for (const [place, network] of listTexts(peer.get("allowedIPs"))) {
    if (isCidr(network)) continue;
    yield place.error(
      `Allowed network "${network}" is not in CIDR notation`,
      "Write a network such as 10.0.0.0/8, a single address as 10.0.0.1/32",
    );
  }
}

function hasPort(endpoint: string): boolean {
  const host = splitHostPort(endpoint)?.host;
  return host !== undefined &&
    (!host.includes(":") || addressFamily(host) === 6);
}
