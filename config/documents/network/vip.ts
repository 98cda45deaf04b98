import { addressFamily } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { openText, string } from "../scalars/scalars.ts";
import type { DocumentKind, Field } from "../schema.ts";
import { field } from "../shapes.ts";

const name: Field = field(openText, "The virtual IP (VIP)", {
  always: true,
  example: "10.0.0.100",
});

const link: Field = field(
  openText,
  "Name or alias of the link that gets the VIP",
  { always: true, required: true, example: "enp0s3" },
);

/** `Layer2VIPConfig`. */
export const layer2Vip: DocumentKind = {
  kind: "Layer2VIPConfig",
  summary: "Virtual IP of the control planes, announced with ARP",
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
  summary:
    "Virtual IP of the control planes, assigned with the Hetzner Cloud API",
  named: true,
  since: "1.12",
  group: "vips",
  fields: {
    name,
    link,
    apiToken: field(string, "API token of the provider", {
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
      'Set "name" to the virtual IP',
    );
  }
}
