/** Routes of an interface of `machine.network.interfaces`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isAddress, isCidr } from "./checks.ts";
import { isGiven, textOf } from "./texts.ts";

/** Every route leads somewhere, and its addresses can be read. */
export function* routeRules(routes: Cursor): Iterable<Problem> {
  for (const route of routes.items()) {
    const network = route.get("network");
    if (
      !isGiven(route) ||
      (textOf(network) === "" && textOf(route.get("gateway")) === "")
    ) {
      yield route.error(
        "A route has neither a network nor a gateway",
        "Give network, gateway or both",
      );
    }
    if (textOf(network) !== "" && !isCidr(textOf(network))) {
      yield network.error(
        `Network "${textOf(network)}" is not in CIDR notation`,
        "Write a network such as 10.0.0.0/8; 0.0.0.0/0 is everything",
      );
    }
    for (const name of ["gateway", "source"]) {
      const address = route.get(name);
      if (textOf(address) === "" || isAddress(textOf(address))) continue;
      yield address.error(
        `"${textOf(address)}" is not an IP address`,
        "Write an IP address such as 10.0.0.1, without a prefix length",
      );
    }
  }
}
