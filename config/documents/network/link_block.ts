import { isUnspecified } from "../checks.ts";
import { addressFamily, parseNetwork } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { choice } from "../scalars/scalars.ts";
import type { ScalarShape } from "../schema.ts";
import { fieldTable } from "../table.ts";

/** A routing table, by number or name. */
export const tables: ScalarShape = {
  ...choice([
    "unspec",
    ...Array.from({ length: 252 }, (_, index) => String(index + 1)),
    "default",
    "main",
    "local",
  ], { insensitive: true }),
  expected: "main, local, default, or a number from 1 to 252",
};

/** Common keys of links, the last ones in their documents. */
export const linkFields = fieldTable`
up              | boolean, optional, default true | Whether to bring the link up
mtu             | u32 | MTU of the link, in bytes | 9000
addresses       | list(struct) | Static addresses of the link
  = [{"address": "10.0.0.2/24"}, {"address": "fd00::2/64"}]
  address       | prefix, always, required | IP address with prefix length | "10.0.0.2/24"
  routePriority | u32, optional | Metric of the route to the address's network
routes          | list(struct) | Static routes over the link
  = [{"gateway": "10.0.0.1"}, {"destination": "10.8.0.0/16", "gateway": "10.0.0.9", "metric": 100}]
  destination   | prefix | Destination network; omit for a default route | "10.96.0.0/12"
  gateway       | address | Gateway; omit if the network is directly connected | "10.0.0.1"
  source        | address | Source address for packets that use this route
  metric        | u32, default 1024 | Metric; the route with the lowest metric is preferred
  mtu           | u32 | MTU of the route, in bytes
  table         | ${tables}, default main | Routing table
multicast       | boolean, optional | Whether multicast is enabled on the link
`;

/** Checks addresses and routes of a link. */
export function* linkRules(document: Cursor): Iterable<Problem> {
  for (const item of document.get("addresses").items()) {
    const given = item.get("address");
    if (isAnywhere(given)) {
      yield given.error(
        `Address "${given.text()}" is not a host address`,
        "Give the address of the link, such as 10.0.0.2/24",
      );
    }
  }
  for (const item of document.get("routes").items()) yield* routeRules(item);
}

function* routeRules(item: Cursor): Iterable<Problem> {
  const destination = item.get("destination");
  if (isAnywhere(destination)) {
    yield destination.error(
      `Destination "${destination.text()}" is not a network`,
      "For a default route, remove it",
    );
  }
  const gateway = item.get("gateway");
  if (isAnywhere(gateway)) {
    yield gateway.error(
      `Gateway "${gateway.text()}" is not a host address`,
      "If the network is directly connected, remove it",
    );
  }
  const source = item.get("source");
  if (isAnywhere(source)) {
    yield source.error(
      `Source "${source.text()}" is not a host address`,
      "Give an address of the node, or remove it to let the node choose",
    );
  }
}

/** `0.0.0.0` or `::`, with or without a prefix length. */
function isAnywhere(given: Cursor): boolean {
  const text = given.text() ?? "";
  const bare = parseNetwork(text)?.address ?? text;
  return addressFamily(bare) !== undefined && isUnspecified(bare);
}
