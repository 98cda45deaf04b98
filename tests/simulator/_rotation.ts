/** Configurations that name other CAs, for tests of their rotation. */

import { parseAllDocuments } from "yaml";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";

/** CAs of one interface. */
export interface TestCas {
  readonly ca: CertificateAuthority;
  readonly accepted?: readonly CertificateAuthority[];
}

/** Gives a configuration other CAs; a worker's stays without keys. */
export function withCas(
  text: string,
  section: "machine" | "cluster",
  { ca, accepted = [] }: TestCas,
): string {
  const documents = parseAllDocuments(text);
  const main = documents.find((document) => document.has("machine"))!; // every configuration has it
  const isWorker = main.getIn(["machine", "type"]) === "worker";
  main.setIn([section, "ca"], {
    crt: caPem(ca),
    key: isWorker ? "" : base64(encodePrivateKey(ca.key)),
  });
  main.setIn(
    [section, "acceptedCAs"],
    accepted.map((one) => ({ crt: caPem(one) })),
  );
  return documents.map(String).join("");
}

function caPem({ certificate }: CertificateAuthority): string {
  return base64(encodePem(pemLabel.certificate, certificate));
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
