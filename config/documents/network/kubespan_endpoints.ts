/** Further endpoints of a node in the mesh. */

import { addressPort } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list } from "../shapes.ts";

/** `KubeSpanEndpointsConfig`. */
export const kubespanEndpoints: DocumentKind = {
  kind: "KubeSpanEndpointsConfig",
  summary: "Additional KubeSpan endpoints of the node",
  named: false,
  fields: {
    extraAnnouncedEndpoints: field(
      list(addressPort),
      "Addresses and ports announced in addition to the node's own",
      { always: true, example: ["203.0.113.7:51820"] },
    ),
  },
  examples: [{
    value: {
      extraAnnouncedEndpoints: ["203.0.113.7:51820", "[2001:db8::7]:51820"],
    },
  }],
};
