/** Name resolution of the node itself. */

import { address, boolean, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, list, struct } from "../shapes.ts";

/** `ResolverConfig`. */
export const resolver: DocumentKind = {
  kind: "ResolverConfig",
  summary: "Name servers and search domains of the node",
  named: false,
  since: "1.12",
  fields: {
    nameservers: field(
      list(struct({
        address: field(address, "IP address of the server", {
          always: true,
          example: "10.0.0.1",
        }),
      })),
      "Name servers, instead of those from DHCP or the platform",
      { initial: "1.1.1.1 and 8.8.8.8", example: [{ address: "10.0.0.1" }] },
    ),
    searchDomains: field(
      struct({
        domains: field(
          list(openText),
          "Domains that are tried behind names without a dot",
          { example: ["example.org"] },
        ),
        disableDefault: field(
          boolean,
          "Whether the domain of the hostname is not added",
          { optional: true, initial: "false" },
        ),
      }),
      "Domains for short names",
    ),
  },
  examples: [{
    value: {
      nameservers: [{ address: "10.0.0.1" }, { address: "fd00::1" }],
      searchDomains: { domains: ["example.org"], disableDefault: true },
    },
  }],
};
