import { isMasked } from "../checks.ts";
import { overlap, parseNetwork } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { notNegative } from "../scalars/duration.ts";
import { documentKind } from "../table.ts";

export const bgpInstance = documentKind(rules)`
BGPInstanceConfig | named, since 1.14 | BGP instance of the node
  = {"name": "fabric", "localASN": 65001, "routerID": "10.0.0.5", "advertise": ["dummy0"], "multipath": true,
    "importRoutes": [{"bgpInstance": "workload", "prefixes": ["198.51.100.0/24"]}],
    "neighbors": [{"link": "enp0s3", "peerASN": 65000, "holdTime": "9s", "bfd": {"transmitInterval": "300ms",
    "detectMultiplier": 3}}, {"address": "10.0.0.1", "peerASN": 65000}]}
  name                 | text, always | Name of the instance | "fabric"
  vrf                  | text | VRF link; the default routing domain when omitted | "vrf-blue"
  localASN             | u32, always | Local ASN | 65001
  routerID             | address | Router id, an IPv4 address; the first advertised address when omitted
    = "10.0.0.5"
  routeSource          | address | Preferred source address of installed routes
  advertise            | list(text), replace | Names or aliases of links whose networks are advertised
    = ["dummy0"]
  multipath            | boolean, optional, default false | Enables multipath (ECMP)
  maxPaths             | u8 | Maximum number of ECMP paths | 4
  installRoutes        | boolean, optional, default true | Installs learned routes in the kernel
  importRoutes         | list(struct), replace | Routes imported from other instances
    bgpInstance        | text, always, required | Name of the source instance | "workload"
    prefixes           | list(prefix), always, required | Networks whose routes are imported
      = ["198.51.100.0/24"]
  neighbors            | list(struct), replace | BGP neighbors
    address            | address | IP address of the neighbor; mutually exclusive with link | "10.0.0.1"
    link               | text | Link of an unnumbered session; mutually exclusive with address | "enp0s3"
    peerASN            | u32 | ASN of the neighbor; 0 accepts any | 65000
    localASN           | u32 | Local ASN for this neighbor
    passive            | boolean | Waits for the neighbor to connect
    holdTime           | duration | Hold time | "9s"
    bfd                | struct, optional | BFD settings; enables BFD
      transmitInterval | duration | Minimum transmit interval | "300ms"
      receiveInterval  | duration | Minimum receive interval | "300ms"
      detectMultiplier | u8 | Detection multiplier | 3
`;

function* rules(document: Cursor): Iterable<Problem> {
  const own = document.get("localASN");
  if (!own.number()) {
    yield own.error(
      '"localASN" is missing',
      "Give the local AS number",
    );
  }
  const id = document.get("routerID");
  if ((id.text() ?? "").includes(":")) {
    yield id.error(
      `Router id "${id.text()}" is not IPv4`,
      "Give an IPv4 address",
    );
  }
  const neighbors = document.get("neighbors");
  if (neighbors.items().length === 0) {
    yield neighbors.warning(
      "The instance has no neighbors",
      "Give at least one neighbor",
    );
  }
  yield* importRules(document);
  const seen = new Set<string>();
  for (const item of neighbors.items()) {
    yield* neighborRules(item, (document.get("vrf").text() ?? "") !== "", seen);
  }
}

function* neighborRules(
  item: Cursor,
  inVrf: boolean,
  seen: Set<string>,
): Iterable<Problem> {
  const given = ["address", "link"].map((key) => item.get(key).text() ?? "")
    .filter((text) => text !== "");
  const [key = ""] = given;
  if (given.length !== 1) {
    yield item.error(
      given.length === 0
        ? 'Neither "address" nor "link" is given'
        : 'Both "address" and "link" are given',
      "Give one of them",
    );
  } else if (seen.has(key)) {
    yield item.error(`Neighbor "${key}" appears twice`, "Remove one");
  }
  seen.add(key);
  yield* notNegative(item.get("holdTime"));
  const bfd = item.get("bfd");
  yield* notNegative(bfd.get("transmitInterval"));
  yield* notNegative(bfd.get("receiveInterval"));
  if (inVrf && bfd.node !== undefined) {
    yield bfd.error(
      '"bfd" is not supported in a VRF',
      'Remove "bfd" or "vrf"',
    );
  }
}

function* importRules(document: Cursor): Iterable<Problem> {
  const sources = new Set<string>();
  const networks: string[] = [];
  for (const item of document.get("importRoutes").items()) {
    const source = item.get("bgpInstance");
    const name = source.text() ?? "";
    if (name !== "" && name === document.get("name").text()) {
      yield source.error(
        `Instance "${name}" cannot import its own routes`,
        "Name another instance",
      );
    } else if (sources.has(name)) {
      yield source.error(
        `Instance "${name}" appears twice`,
        "Put its networks into one list",
      );
    }
    sources.add(name);
    for (const place of item.get("prefixes").items()) {
      const text = place.text() ?? "";
      if (text === "") {
        yield place.error(
          "This network is empty",
          "Give a network, or remove it",
        );
      }
      if (parseNetwork(text) === undefined) continue;
      if (!isMasked(text)) {
        yield place.error(
          `Network "${text}" has host bits set`,
          "Use the network address",
        );
      }
      const other = networks.find((known) => overlap(known, text));
      if (other !== undefined) {
        yield place.error(
          `Network "${text}" overlaps with "${other}"`,
          "List each network once",
        );
      }
      networks.push(text);
    }
  }
}
