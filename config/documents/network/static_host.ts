/** Names that need no name server. */

import { addressFamily } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField } from "../shapes.ts";

/** `StaticHostConfig`. */
export const staticHost: DocumentKind = {
  kind: "StaticHostConfig",
  summary: "Hostnames of an address, for the node's hosts file",
  named: true,
  since: "1.12",
  fields: {
    name: nameField("The address", "10.0.0.10"),
    hostnames: field(list(openText), "Names that stand for it", {
      always: true,
      required: true,
      example: ["registry.example.org", "registry"],
    }),
  },
  examples: [{
    value: {
      name: "10.0.0.10",
      hostnames: ["registry.example.org", "registry"],
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text !== "" && addressFamily(text) === undefined) {
    yield given.error(
      `Name "${text}" is not an IP address`,
      "The document's name is the address the hostnames stand for",
    );
  }
}
