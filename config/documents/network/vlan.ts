/** A VLAN. */

import { linkFields, linkRules } from "./link_block.ts";
import { choice, integer, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

/** `VLANConfig`. */
export const vlan: DocumentKind = {
  kind: "VLANConfig",
  summary: "A VLAN on top of another link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "enp0s3.34"),
    vlanID: field(integer(1n, 4094n), "Number of the VLAN", {
      required: true,
      example: 34,
    }),
    vlanMode: field(
      choice(["802.1q", "802.1ad"], { insensitive: true }),
      "Protocol of the tags",
      { optional: true, initial: "802.1q", example: "802.1q" },
    ),
    parent: field(openText, "Name or alias of the link that carries the VLAN", {
      required: true,
      example: "enp0s3",
    }),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "enp0s3.34",
      vlanID: 34,
      vlanMode: "802.1q",
      parent: "enp0s3",
      addresses: [{ address: "192.168.34.2/24" }],
      routes: [{ destination: "192.168.0.0/16", gateway: "192.168.34.1" }],
    },
  }],
  rules: linkRules,
};
