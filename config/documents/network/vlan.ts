/** A VLAN. */

import { linkFields, linkRules } from "./link_block.ts";
import { choice, integer, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";

/** `VLANConfig`. */
export const vlan: DocumentKind = {
  kind: "VLANConfig",
  summary: "A VLAN on top of another link",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Name of the new link",
      examples: [{ value: "enp0s3.34" }],
    },
    vlanID: {
      shape: integer(1n, 4094n),
      required: true,
      summary: "Number of the VLAN",
      examples: [{ value: 34 }],
    },
    vlanMode: {
      shape: choice(["802.1q", "802.1ad"], { insensitive: true }),
      optional: true,
      summary: "Protocol of the tags",
      initial: "802.1q",
      examples: [{ value: "802.1q" }],
    },
    parent: {
      shape: openText,
      required: true,
      summary: "Name or alias of the link that carries the VLAN",
      examples: [{ value: "enp0s3" }],
    },
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
