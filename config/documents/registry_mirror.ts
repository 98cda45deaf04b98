/** Where images of a registry are pulled from. */

import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import { boolean, url } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, list, nameField, struct } from "./shapes.ts";
import { parseUrl } from "./checks.ts";

/** `RegistryMirrorConfig`. */
export const registryMirror: DocumentKind = {
  kind: "RegistryMirrorConfig",
  summary: "Places that images of a registry are pulled from",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry as image names have it, or * for the rest",
      "registry.k8s.io",
    ),
    endpoints: field(
      list(struct({
        url: field(url, "Address of the mirror", {
          always: true,
          required: true,
          example: "https://mirror.example.org",
        }),
        overridePath: field(
          boolean,
          "Whether nothing is put behind the path of the URL",
          { optional: true, initial: "false" },
        ),
      })),
      "Mirrors, tried in order",
      { example: [{ url: "https://mirror.example.org" }] },
    ),
    skipFallback: field(
      boolean,
      "Whether the registry itself is not tried after the mirrors",
      { optional: true, initial: "false" },
    ),
  },
  examples: [{
    value: {
      name: "registry.k8s.io",
      endpoints: [
        {
          url: "https://mirror.example.org/v2/k8s",
          overridePath: true,
        },
        { url: "http://10.0.0.10:5000" },
      ],
      skipFallback: true,
    },
  }],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  for (const item of document.get("endpoints").items()) {
    const given = item.get("url");
    const text = given.text() ?? "";
    const scheme = parseUrl(text)?.scheme;
    if (text !== "" && scheme !== "http" && scheme !== "https") {
      yield given.error(
        `URL "${text}" does not begin with http:// or https://`,
        `Write https://${text.replace(/^.*:\/\//, "")}`,
      );
    }
  }
}
