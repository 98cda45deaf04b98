/** Authorities that the node trusts. */

import { examplePemCertificate } from "./example_pem.ts";
import { openText } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";

/** `TrustedRootsConfig`. */
export const trustedRoots: DocumentKind = {
  kind: "TrustedRootsConfig",
  summary: "Authorities that the node trusts beside the usual ones",
  named: true,
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Name of the collection, of any choice",
      examples: [{ value: "company" }],
    },
    certificates: {
      shape: openText,
      always: true,
      summary: "Certificates of the authorities, PEM",
      examples: [{ value: examplePemCertificate }],
    },
  },
  examples: [{
    value: { name: "company", certificates: examplePemCertificate },
  }],
};
