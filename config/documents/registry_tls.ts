/** How the node trusts a registry and is trusted by it. */

import { ConfigError } from "../../errors.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePem, decodePemAs, pemLabel } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import type { Cursor } from "./cursor.ts";
import { examplePemCertificate, examplePemKey } from "./example_material.ts";
import type { Problem } from "./problem.ts";
import { boolean, openText, string } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";
import { field, nameField, struct } from "./shapes.ts";

/** `RegistryTLSConfig`. */
export const registryTls: DocumentKind = {
  kind: "RegistryTLSConfig",
  summary: "Certificates for connections to a registry",
  named: true,
  since: "1.12",
  fields: {
    name: nameField(
      "Host of the registry or of its mirror",
      "registry.example.org",
    ),
    clientIdentity: field(
      struct({
        cert: field(openText, "Certificate, PEM"),
        key: field(string, "Private key, PEM", { secret: true }),
      }),
      "What the node shows to a registry that asks for a certificate",
      { optional: true },
    ),
    ca: field(
      string,
      "Authorities that are trusted beside the usual ones, PEM",
      { secret: true },
    ),
    insecureSkipVerify: field(
      boolean,
      "Whether any certificate of the registry will do",
      { optional: true, initial: "false" },
    ),
  },
  examples: [
    {
      title: "A registry with an authority of its own",
      value: {
        name: "registry.example.org",
        clientIdentity: { cert: examplePemCertificate, key: examplePemKey },
        ca: examplePemCertificate,
      },
    },
    {
      title: "A registry for tests",
      value: { name: "10.0.0.10:5000", insecureSkipVerify: true },
    },
  ],
  rules,
};

function* rules(document: Cursor): Iterable<Problem> {
  const ca = document.get("ca");
  const authorities = ca.text() ?? "";
  if (authorities !== "" && !holds(authorities, inspectAny)) {
    yield ca.error(
      "No certificate can be read",
      "Give at least one certificate, PEM",
    );
  }
  const identity = document.get("clientIdentity");
  if (identity.node === undefined) return;
  const [cert, key] = [identity.get("cert"), identity.get("key")];
  if (!holds(cert.text() ?? "", inspectFirst)) {
    yield cert.error("No certificate can be read", "Give a certificate, PEM");
  }
  if (!holds(key.text() ?? "", decodePrivateKey)) {
    yield key.error("No private key can be read", "Give a private key, PEM");
  }
}

function holds(text: string, read: (text: string) => unknown): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

function inspectFirst(text: string): void {
  const [first] = decodePem(text);
  if (first !== undefined) inspectCertificate(first.der);
}

function inspectAny(text: string): void {
  const [first, ...others] = decodePemAs(pemLabel.certificate, text);
  if (!others.some((der) => holdsCertificate(der))) inspectCertificate(first);
}

function holdsCertificate(der: Uint8Array): boolean {
  return holds("", () => inspectCertificate(der));
}
