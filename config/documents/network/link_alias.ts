/** Another name for a link. */

import { expression, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { struct } from "../shapes.ts";

/** `LinkAliasConfig`. */
export const linkAlias: DocumentKind = {
  kind: "LinkAliasConfig",
  summary: "Another name for a network link that an expression selects",
  named: true,
  since: "1.12",
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "The alias; documents of links may use it as a name",
      examples: [{ value: "net0" }],
    },
    selector: {
      shape: struct({
        match: {
          shape: expression("link"),
          required: true,
          merge: "overwrite",
          summary: "CEL expression that is true for one link, called `link`",
          examples: [
            {
              title: "By hardware address",
              value: 'mac(link.permanent_addr) == "00:1a:2b:3c:4d:5e"',
            },
            {
              title: "By driver and bus",
              value:
                'link.driver == "virtio_net" && glob("0000:0[12]:*", link.bus_path)',
            },
          ],
        },
      }),
      required: true,
      summary: "Which link is meant",
    },
  },
  examples: [{
    value: {
      name: "net0",
      selector: { match: 'mac(link.permanent_addr) == "00:1a:2b:3c:4d:5e"' },
    },
  }],
};
