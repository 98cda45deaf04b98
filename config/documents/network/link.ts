/** A network link that exists. */

import { linkFields, linkRules } from "./link_block.ts";
import type { DocumentKind } from "../schema.ts";
import { nameField } from "../shapes.ts";

/** `LinkConfig`. */
export const link: DocumentKind = {
  kind: "LinkConfig",
  summary: "Addresses and routes of a network link that exists",
  named: true,
  since: "1.12",
  group: "links",
  fields: {
    name: nameField("Name or alias of the link", "enp0s3"),
    ...linkFields,
  },
  examples: [
    {
      title: "Fixed addresses",
      value: {
        name: "enp0s3",
        mtu: 9000,
        addresses: [
          { address: "10.0.0.2/24" },
          { address: "fd00::2/64", routePriority: 512 },
        ],
        routes: [
          { gateway: "10.0.0.1" },
          {
            destination: "10.8.0.0/16",
            gateway: "10.0.0.9",
            source: "10.0.0.2",
            metric: 100,
            mtu: 1400,
            table: "main",
          },
        ],
        multicast: true,
      },
    },
    { title: "A link that stays off", value: { name: "enp0s4", up: false } },
  ],
  rules: linkRules,
};
