import type { Cursor } from "../cursor.ts";
import { linkFields, linkRules, tables } from "./link_block.ts";
import type { Problem } from "../problem.ts";
import { hardwareAddress, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `VRFConfig`. */
export const vrf: DocumentKind = {
  kind: "VRFConfig",
  summary: "A VRF link",
  named: true,
  since: "1.13",
  group: "links",
  fields: {
    name: nameField("Name of the VRF link", "vrf-blue"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address; random by default",
      { merge: "replace", example: "02:00:00:00:00:04" },
    ),
    links: field(
      list(openText),
      "Names or aliases of the links in the VRF",
      { example: ["enp0s3", "enp0s4"] },
    ),
    table: field(tables, "Routing table of the VRF", {
      always: true,
      required: true,
      example: "123",
    }),
    ...linkFields,
  },
  examples: [{
    value: { name: "vrf-blue", links: ["enp0s3", "enp0s4"], table: "123" },
  }],
  *rules(document) {
    const table = document.get("table");
    const text = table.text()?.toLowerCase() ?? "";
    if (["unspec", "local", "main", "default"].includes(text)) {
      yield table.error(
        `Routing table "${text}" is reserved for the system`,
        "Give a number from 1 to 252",
      );
    }
    yield* linkRules(document);
  },
};

/** `VethConfig`. */
export const veth: DocumentKind = {
  kind: "VethConfig",
  summary: "A pair of veth links",
  named: true,
  since: "1.14",
  group: "links",
  fields: {
    name: nameField("Name of the link", "veth0"),
    peer: field(
      struct({
        name: field(openText, "Name of the peer link", {
          always: true,
          required: true,
          example: "veth1",
        }),
        ...linkFields,
      }),
      "The peer link",
      { always: true, required: true },
    ),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "veth0",
      peer: { name: "veth1", addresses: [{ address: "10.9.0.2/30" }] },
      addresses: [{ address: "10.9.0.1/30" }],
    },
  }],
  *rules(document) {
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
  },
};

/** The kernel takes 15 bytes that can be part of a path. */
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
