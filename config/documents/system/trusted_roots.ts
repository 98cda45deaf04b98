import { examplePemCertificate } from "../example_material.ts";
import { openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

/** `TrustedRootsConfig`. */
export const trustedRoots: DocumentKind = {
  kind: "TrustedRootsConfig",
  summary: "CA certificates the node trusts in addition to the system's",
  named: true,
  nameless: true,
  fields: {
    name: nameField("Name of this set of certificates", "company"),
    certificates: field(openText, "CA certificates, PEM", {
      always: true,
      example: examplePemCertificate,
    }),
  },
  examples: [{
    value: { name: "company", certificates: examplePemCertificate },
  }],
};
