import { expression } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField, struct } from "../shapes.ts";

/** `LinkAliasConfig`. */
export const linkAlias: DocumentKind = {
  kind: "LinkAliasConfig",
  summary: "Alias for a link, selected by a CEL expression",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "The alias; other documents can use it as a link name",
      "net0",
    ),
    selector: field(
      struct({
        match: field(
          expression("link"),
          "CEL expression that matches exactly one link; the variable is `link`",
          {
            required: true,
            merge: "overwrite",
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
        ),
      }),
      "Selects the link",
      { required: true },
    ),
  },
  examples: [{
    value: {
      name: "net0",
      selector: { match: 'mac(link.permanent_addr) == "00:1a:2b:3c:4d:5e"' },
    },
  }],
  *rules(document) {
    const given = document.get("name");
    const text = given.text() ?? "";
    if (!text.includes("%") || /^[^%]+%d$/.test(text)) return;
    yield given.error(
      `Name "${text}" is not a pattern`,
      "End it with %d for a number, such as net%d",
    );
  },
};
