/** The node's hostname. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { choice, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

/** `HostnameConfig`. */
export const hostname: DocumentKind = {
  kind: "HostnameConfig",
  summary: "Hostname of the node, fixed or made up by the node",
  named: false,
  since: "1.12",
  fields: {
    auto: field(
      choice(["off", "stable"], { insensitive: true }),
      "How the node makes up a hostname when none is given",
      { optional: true, example: "stable" },
    ),
    hostname: field(openText, "Fixed hostname, with or without a domain", {
      example: "controlplane1",
    }),
  },
  examples: [
    { title: "A name from the machine's identity", value: { auto: "stable" } },
    { title: "A fixed name", value: { auto: "off", hostname: "worker-33" } },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const auto = document.get("auto");
  const fixed = document.get("hostname");
  const name = fixed.text() ?? "";
  if (auto.node === undefined && name === "") {
    yield document.error(
      'Neither "auto" nor "hostname" is given',
      "Give one of them",
    );
  }
  if (name === "") return;
  if (auto.text() !== undefined && auto.text()?.toLowerCase() !== "off") {
    yield fixed.error(
      `Hostname "${name}" is given although "auto" is "${auto.text()}"`,
      'Set "auto" to "off" or leave "hostname" out',
    );
  }
  yield* lengthRules(fixed, name);
}

function* lengthRules(fixed: Cursor, name: string): Iterable<Problem> {
  const [first = ""] = name.split(".");
  const [all, label] = [name, first].map((text) =>
    new TextEncoder().encode(text).length
  );
  if (all !== undefined && all > 253) {
    yield fixed.error(
      `Hostname has ${all} characters`,
      "At most 253 are allowed with the domain",
    );
  }
  if (label === 0 || (label !== undefined && label > 63)) {
    yield fixed.error(
      `First part of hostname "${name}" has ${label} characters`,
      "Between 1 and 63 are allowed before the first dot",
    );
  }
}
