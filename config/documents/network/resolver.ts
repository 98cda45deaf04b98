/** Name resolution of the node itself. */

import { address, boolean, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { list, struct } from "../shapes.ts";

/** `ResolverConfig`. */
export const resolver: DocumentKind = {
  kind: "ResolverConfig",
  summary: "Name servers and search domains of the node",
  named: false,
  since: "1.12",
  fields: {
    nameservers: {
      shape: list(struct({
        address: {
          shape: address,
          always: true,
          summary: "IP address of the server",
          examples: [{ value: "10.0.0.1" }],
        },
      })),
      summary: "Name servers, instead of those from DHCP or the platform",
      initial: "1.1.1.1 and 8.8.8.8",
      examples: [{ value: [{ address: "10.0.0.1" }] }],
    },
    searchDomains: {
      shape: struct({
        domains: {
          shape: list(openText),
          summary: "Domains that are tried behind names without a dot",
          examples: [{ value: ["example.org"] }],
        },
        disableDefault: {
          shape: boolean,
          optional: true,
          summary: "Whether the domain of the hostname is not added",
          initial: "false",
        },
      }),
      summary: "Domains for short names",
    },
  },
  examples: [{
    value: {
      nameservers: [{ address: "10.0.0.1" }, { address: "fd00::1" }],
      searchDomains: { domains: ["example.org"], disableDefault: true },
    },
  }],
};
