/** A bridge. */

import { linkFields, linkRules } from "./link_block.ts";
import { boolean, hardwareAddress, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, nameField, struct } from "../shapes.ts";

/** `BridgeConfig`. */
export const bridge: DocumentKind = {
  kind: "BridgeConfig",
  summary: "A bridge over other links",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name of the bridge", "br0"),
    hardwareAddr: field(
      hardwareAddress,
      "Hardware address of the bridge; one of its ports' when absent",
      { merge: "replace", example: "02:00:00:00:00:02" },
    ),
    links: field(
      list(openText),
      "Names or aliases of the links that become its ports",
      { example: ["enp0s3", "enp0s4"] },
    ),
    stp: field(
      struct({
        enabled: field(
          boolean,
          "Whether the spanning tree protocol keeps loops open",
          { optional: true },
        ),
      }),
      "Spanning tree protocol",
    ),
    vlan: field(
      struct({
        filtering: field(
          boolean,
          "Whether ports only pass on the VLANs they belong to",
          { optional: true },
        ),
      }),
      "Treatment of VLANs",
    ),
    ...linkFields,
  },
  examples: [{
    value: {
      name: "br0",
      links: ["enp0s3", "enp0s4"],
      stp: { enabled: true },
      vlan: { filtering: false },
      addresses: [{ address: "10.0.0.2/24" }],
    },
  }],
  rules: linkRules,
};
