import { addressFamily, isUnspecified, parseNetwork } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { address, boolean, choice, prefix, u32 } from "../scalars/scalars.ts";
import type { Fields, ScalarShape } from "../schema.ts";
import { field, list, struct } from "../shapes.ts";

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

const route: Fields = {
  destination: field(
    prefix,
    "Destination network; omit for a default route",
    { example: "10.96.0.0/12" },
  ),
  gateway: field(
    address,
    "Gateway; omit if the network is directly connected",
    {
      example: "10.0.0.1",
    },
  ),
  source: field(address, "Source address for packets that use this route"),
  metric: field(u32, "Metric; the route with the lowest metric is preferred", {
    initial: "1024",
  }),
  mtu: field(u32, "MTU of the route, in bytes"),
  table: field(tables, "Routing table", {
    initial: "main",
  }),
};

/** Keys of every link, the last ones of its document. */
export const linkFields: Fields = {
  up: field(boolean, "Whether to bring the link up", {
    optional: true,
    initial: "true",
  }),
  mtu: field(u32, "MTU of the link, in bytes", { example: 9000 }),
  addresses: field(
    list(struct({
      address: field(
        prefix,
        "IP address with prefix length",
        { always: true, required: true, example: "10.0.0.2/24" },
      ),
      routePriority: field(
        u32,
        "Metric of the route to the address's network",
        { optional: true },
      ),
    })),
    "Static addresses of the link",
    { example: [{ address: "10.0.0.2/24" }, { address: "fd00::2/64" }] },
  ),
  routes: field(list(struct(route)), "Static routes over the link", {
    example: [
      { gateway: "10.0.0.1" },
      { destination: "10.8.0.0/16", gateway: "10.0.0.9", metric: 100 },
    ],
  }),
  multicast: field(boolean, "Whether multicast is enabled on the link", {
    optional: true,
  }),
};

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

/** `0.0.0.0` or `::`, with or without a length. */
function isAnywhere(given: Cursor): boolean {
  const text = given.text() ?? "";
  const bare = parseNetwork(text)?.address ?? text;
  return addressFamily(bare) !== undefined && isUnspecified(bare);
}
