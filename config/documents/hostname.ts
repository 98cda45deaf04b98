/** The node's hostname. */

import { choice, string } from "./scalars.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import type { DocumentKind } from "./schema.ts";

/** `HostnameConfig`. */
export const hostname: DocumentKind = {
  kind: "HostnameConfig",
  summary: "Hostname of the node, fixed or made up by the node",
  named: false,
  since: "1.12",
  fields: {
    auto: {
      shape: choice(["off", "stable"], { insensitive: true }),
      optional: true,
      summary: "How the node makes up a hostname when none is given",
      examples: [{ value: "stable" }],
    },
    hostname: {
      shape: string,
      summary: "Fixed hostname, with or without a domain",
      examples: [{ value: "controlplane1" }],
    },
  },
  examples: [
    { title: "A name from the machine's identity", value: { auto: "stable" } },
    { title: "A fixed name", value: { hostname: "worker-33", auto: "off" } },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const auto = document.get("auto");
  const name = document.get("hostname");
  if (auto.node === undefined && (name.text() ?? "") === "") {
    yield document.error(
      'Neither "auto" nor "hostname" is given',
      "Give one of them",
    );
  }
}
