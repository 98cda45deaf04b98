/** Certificate requests (PKCS#10, RFC 2986), the way nodes make them. */

import type { SubjectAltNames } from "./extensions.ts";
import { importSigningKey, publicSpkiOf, signingAlgorithm } from "./key.ts";
import type { PrivateKey } from "./private_key.ts";
import { encodeName, type Subject } from "./subject.ts";
import {
  extensionsFor,
  Name,
  Pkcs10CertificateRequestGenerator,
} from "./x509.ts";

/** What {@linkcode createRequest} is told. */
export interface RequestSpec extends Subject {
  /** Key to be certified; it signs the request. */
  readonly key: PrivateKey;
  /** Names and addresses to ask for; default none. */
  readonly subjectAltNames?: Partial<SubjectAltNames>;
}

/**
 * Makes a request.
 *
 * @returns DER.
 * @throws {ConfigError} If an organization is empty or an address is no IP address.
 */
export async function createRequest(spec: RequestSpec): Promise<Uint8Array> {
  const algorithm = signingAlgorithm(spec.key);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: new Name(encodeName(spec)),
    keys: {
      privateKey: await importSigningKey(spec.key),
      publicKey: await crypto.subtle.importKey(
        "spki",
        (await publicSpkiOf(spec.key)).slice(),
        algorithm,
        true,
        ["verify"],
      ),
    },
    signingAlgorithm: algorithm,
    extensions: extensionsFor({ subjectAltNames: spec.subjectAltNames }),
  });
  return new Uint8Array(request.rawData);
}
