/** A bridge. */

import { linkFields, linkRules } from "./link_block.ts";
import { boolean, hardwareAddress, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { list, struct } from "../shapes.ts";

/** `BridgeConfig`. */
export const bridge: DocumentKind = {
  kind: "BridgeConfig",
  summary: "A bridge over other links",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Name of the bridge",
      examples: [{ value: "br0" }],
    },
    hardwareAddr: {
      shape: hardwareAddress,
      merge: "replace",
      summary: "Hardware address of the bridge; one of its ports' when absent",
      examples: [{ value: "02:00:00:00:00:02" }],
    },
    links: {
      shape: list(openText),
      summary: "Names or aliases of the links that become its ports",
      examples: [{ value: ["enp0s3", "enp0s4"] }],
    },
    stp: {
      shape: struct({
        enabled: {
          shape: boolean,
          optional: true,
          summary: "Whether the spanning tree protocol keeps loops open",
        },
      }),
      summary: "Spanning tree protocol",
    },
    vlan: {
      shape: struct({
        filtering: {
          shape: boolean,
          optional: true,
          summary: "Whether ports only pass on the VLANs they belong to",
        },
      }),
      summary: "Treatment of VLANs",
    },
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
