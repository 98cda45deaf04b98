import type { Cursor } from "../cursor.ts";
import { linkFields, linkRules, tables } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const vrf = documentKind(vrfRules)`
VRFConfig | named, since 1.13, group links | A VRF link
  = {"name": "vrf-blue", "links": ["enp0s3", "enp0s4"], "table": "123"}
  name         | text, always | Name of the VRF link | "vrf-blue"
  hardwareAddr | hardwareAddress, replace | Hardware address; random by default | "02:00:00:00:00:04"
  links        | list(text) | Names or aliases of the links in the VRF | ["enp0s3", "enp0s4"]
  table        | ${tables}, always, required | Routing table of the VRF | "123"
  ...${linkFields}
`;

function* vrfRules(document: Cursor): Iterable<Problem> {
  const table = document.get("table");
  const text = table.text()?.toLowerCase() ?? "";
  if (["unspec", "local", "main", "default"].includes(text)) {
    yield table.error(
      `Routing table "${text}" is reserved for the system`,
      "Give a number from 1 to 252",
    );
  }
  yield* linkRules(document);
}

export const veth = documentKind(vethRules)`
VethConfig | named, since 1.14, group links | A pair of veth links
  = {"name": "veth0", "peer": {"name": "veth1", "addresses": [{"address": "10.9.0.2/30"}]},
    "addresses": [{"address": "10.9.0.1/30"}]}
  name   | text, always | Name of the link | "veth0"
  peer   | struct, always, required | The peer link
    name | text, always, required | Name of the peer link | "veth1"
    ...${linkFields}
  ...${linkFields}
`;

function* vethRules(document: Cursor): Iterable<Problem> {
  const [one, peer] = [document.get("name"), document.get("peer")];
  const other = peer.get("name");
  yield* kernelNameRules(one);
  yield* kernelNameRules(other);
  if (one.text() !== undefined && one.text() === other.text()) {
    yield other.error(
      `Both ends are named "${one.text()}"`,
      "Give them different names",
    );
  }
  yield* linkRules(document);
  yield* linkRules(peer);
}

/** The kernel allows 15 bytes that are valid in a path. */
function* kernelNameRules(given: Cursor): Iterable<Problem> {
  const text = given.text() ?? "";
  const isLong = new TextEncoder().encode(text).length > 15;
  if (isLong || /^\.\.?$|[/:\s\p{C}]/u.test(text)) {
    yield given.error(
      `"${text}" is not a valid link name`,
      "Use at most 15 bytes, without slashes, colons and spaces",
    );
  }
}
