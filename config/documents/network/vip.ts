/** Addresses that nodes share. */

import { addressFamily } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { openText, string } from "../scalars/scalars.ts";
import type { DocumentKind, Field } from "../schema.ts";
import { field } from "../shapes.ts";

const name: Field = field(openText, "The shared address", {
  always: true,
  example: "10.0.0.100",
});

const link: Field = field(
  openText,
  "Name or alias of the link that has the address on its holder",
  { always: true, required: true, example: "enp0s3" },
);

/** `Layer2VIPConfig`. */
export const layer2Vip: DocumentKind = {
  kind: "Layer2VIPConfig",
  summary: "An address one control plane node at a time has, moved with ARP",
  named: true,
  since: "1.12",
  group: "vips",
  fields: { name, link },
  examples: [{ value: { name: "10.0.0.100", link: "enp0s3" } }],
  rules,
};

/** `HCloudVIPConfig`. */
export const hcloudVip: DocumentKind = {
  kind: "HCloudVIPConfig",
  summary: "An address one control plane node at a time has, moved by HCloud",
  named: true,
  since: "1.12",
  group: "vips",
  fields: {
    name,
    link,
    apiToken: field(string, "Token for the provider's API", {
      always: true,
      required: true,
      secret: true,
    }),
  },
  examples: [{
    value: { name: "10.0.0.100", link: "enp0s3", apiToken: "0123456789abcdef" },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text !== "" && addressFamily(text) === undefined) {
    yield given.error(
      `Name "${text}" is not an IP address`,
      "The document's name is the address that is shared",
    );
  }
}
