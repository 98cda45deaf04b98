/** What all kinds of network links share. */

import { addressFamily, isUnspecified, parseNetwork } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { address, boolean, choice, prefix, u32 } from "../scalars/scalars.ts";
import type { Fields, ScalarShape } from "../schema.ts";
import { field, list, struct } from "../shapes.ts";

const tables: ScalarShape = {
  ...choice([
    "unspec",
    ...Array.from({ length: 252 }, (_, index) => String(index + 1)),
    "default",
    "main",
    "local",
  ], { insensitive: true }),
  expected: "main, local, default or a number from 1 to 252",
};

const route: Fields = {
  destination: field(
    prefix,
    "Network that is reached this way; everything when absent",
    { example: "10.96.0.0/12" },
  ),
  gateway: field(address, "Next hop; a network directly on the link has none", {
    example: "10.0.0.1",
  }),
  source: field(address, "Address that packets sent this way come from"),
  metric: field(u32, "Cost; among equal routes the cheapest is taken", {
    initial: "1024",
  }),
  mtu: field(u32, "Size in bytes up to which packets go this way in one piece"),
  table: field(tables, "Routing table that holds the route", {
    initial: "main",
  }),
};

/** Keys of every link, the last ones of its document. */
export const linkFields: Fields = {
  up: field(boolean, "Whether the link is switched on", {
    optional: true,
    initial: "true",
  }),
  mtu: field(u32, "Size in bytes of the largest packet", { example: 9000 }),
  addresses: field(
    list(struct({
      address: field(
        prefix,
        "Address of the node with the length of its network",
        { always: true, required: true, example: "10.0.0.2/24" },
      ),
      routePriority: field(
        u32,
        "Metric of the route to the address's own network",
        { optional: true },
      ),
    })),
    "Addresses of the node on this link",
    { example: [{ address: "10.0.0.2/24" }, { address: "fd00::2/64" }] },
  ),
  routes: field(list(struct(route)), "Routes over this link", {
    example: [
      { gateway: "10.0.0.1" },
      { destination: "10.8.0.0/16", gateway: "10.0.0.9", metric: 100 },
    ],
  }),
  multicast: field(boolean, "Whether the link carries multicast traffic", {
    optional: true,
  }),
};

/** Checks addresses and routes of a link. */
export function* linkRules(document: Cursor): Iterable<Problem> {
  for (const item of document.get("addresses").items()) {
    const given = item.get("address");
    if (isAnywhere(given)) {
      yield given.error(
        `Address "${given.text()}" belongs to no host`,
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
      `Destination "${destination.text()}" names no network`,
      "Leave it out for a default route",
    );
  }
  const gateway = item.get("gateway");
  if (isAnywhere(gateway)) {
    yield gateway.error(
      `Gateway "${gateway.text()}" belongs to no host`,
      "Leave it out when the network is directly on the link",
    );
  }
  const source = item.get("source");
  if (isAnywhere(source)) {
    yield source.error(
      `Source "${source.text()}" belongs to no host`,
      "Leave it out and the node chooses one",
    );
  }
}

/** `0.0.0.0` or `::`, with or without a length. */
function isAnywhere(given: Cursor): boolean {
  const text = given.text() ?? "";
  const bare = parseNetwork(text)?.address ?? text;
  return addressFamily(bare) !== undefined && isUnspecified(bare);
}
