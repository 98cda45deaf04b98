/** A link that leads nowhere. */

import { linkFields, linkRules } from "./link_block.ts";
import { hardwareAddress } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

/** `DummyLinkConfig`. */
export const dummyLink: DocumentKind = {
  kind: "DummyLinkConfig",
  summary: "A link without a wire, to hold addresses",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the new link", "dummy0"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address; made up when absent",
      { merge: "replace", example: "02:00:00:00:00:01" },
    ),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "dummy0",
      hardwareAddr: "02:00:00:00:00:01",
      addresses: [{ address: "192.0.2.10/32" }],
    },
  }],
  rules: linkRules,
};
