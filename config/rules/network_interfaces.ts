/** `machine.network.interfaces`: how interfaces are named, and which of them belong together. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { bondRules } from "./bond.ts";
import { addressingRules } from "./interface_addresses.ts";
import { routeRules } from "./interface_routes.ts";
import { roleOf } from "./machine_type.ts";
import { isGiven, textOf, textsOf } from "./texts.ts";
import { vlanRules } from "./vlans.ts";
import { wireguardRules } from "./wireguard.ts";

/** All rules of interfaces. */
export function* interfaceRules(root: Cursor): Iterable<Problem> {
  const all = root.get("machine", "network", "interfaces").items();
  for (const link of all.filter((link) => !isGiven(link))) {
    yield link.error("An interface is empty", "Fill it in, or remove it");
  }
  const links = all.filter(isGiven);
  yield* membershipRules(links);
  if (roleOf(root) === "worker") yield* sharedAddressRules(links);
  const parts = new Set(links.flatMap(partsOf).map(([, name]) => name));
  for (const link of links) {
    // A node leaves such an interface alone, so nothing of it has to be right.
    if (link.get("ignore").truth() === true) continue;
    yield* namingRules(link);
    yield* bondRules(link.get("bond"));
    yield* wireguardRules(link.get("wireguard"));
    yield* vlanRules(link.get("vlans"));
    yield* addressingRules(link, parts.has(textOf(link.get("interface"))));
    yield* routeRules(link.get("routes"));
  }
}

/** Every interface is part of one bond or bridge at most. */
function* membershipRules(links: readonly Cursor[]): Iterable<Problem> {
  const owners = new Map<string, string>();
  for (const link of links) {
    const name = textOf(link.get("interface"));
    const bond = link.get("bond");
    if (isGiven(bond) && isGiven(link.get("bridge"))) {
      yield link.error(
        `Interface "${name}" is both a bond and a bridge`,
        "Remove one of the two",
      );
    }
    if (
      textsOf(bond.get("interfaces")).length > 0 &&
      bond.get("deviceSelectors").items().some(isGiven)
    ) {
      yield bond.error(
        `Bond "${name}" has both interfaces and deviceSelectors`,
        "Remove one of the two",
      );
    }
    for (const [place, part] of partsOf(link)) {
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

/** Names of the interfaces a bond or a bridge is made of. */
function partsOf(link: Cursor): (readonly [Cursor, string])[] {
  const whole = isGiven(link.get("bridge")) ? "bridge" : "bond";
  return textsOf(link.get(whole, "interfaces"));
}

/** Workers do not take part in the election of the shared address. */
function* sharedAddressRules(links: readonly Cursor[]): Iterable<Problem> {
  for (const link of links) {
    for (const holder of [link, ...link.get("vlans").items()]) {
      const vip = holder.get("vip");
      if (!isGiven(vip)) continue;
      yield vip.error(
        `Shared address "${textOf(vip.get("ip"))}" is on a worker`,
        "Remove it; only control planes can hold one",
      );
    }
  }
}

function* namingRules(link: Cursor): Iterable<Problem> {
  const name = textOf(link.get("interface"));
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
      "A selector of interfaces is empty",
      "Give one of busPath, hardwareAddr, permanentAddr, pciID, driver and physical",
    );
  }
}

/** A switch that is off selects, an empty text does not. */
function selects(selector: Cursor): boolean {
  return selector.entries().some(([name, place]) =>
    isGiven(place) && (name === "physical" || textOf(place) !== "")
  );
}
