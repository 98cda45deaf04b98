/** Authorities that the node trusts. */

import { examplePemCertificate } from "./example_material.ts";
import { openText } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, nameField } from "./shapes.ts";

/** `TrustedRootsConfig`. */
export const trustedRoots: DocumentKind = {
  kind: "TrustedRootsConfig",
  summary: "Authorities that the node trusts beside the usual ones",
  named: true,
  fields: {
    name: nameField("Name of the collection, of any choice", "company"),
    certificates: field(openText, "Certificates of the authorities, PEM", {
      always: true,
      example: examplePemCertificate,
    }),
  },
  examples: [{
    value: { name: "company", certificates: examplePemCertificate },
  }],
};
