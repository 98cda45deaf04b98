import { examplePemCertificate } from "../example_material.ts";
import { documentKind } from "../table.ts";

export const trustedRoots = documentKind()`
TrustedRootsConfig | named, nameless | CA certificates the node trusts in addition to the system's
  = {"name": "company", "certificates": "${examplePemCertificate}"}
  name         | text, always | Name of this set of certificates | "company"
  certificates | text, always | CA certificates, PEM | "${examplePemCertificate}"
`;
