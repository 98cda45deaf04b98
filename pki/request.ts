/** Certificate requests (PKCS#10, RFC 2986), the way nodes make them. */

import type { SubjectAltNames } from "./extensions.ts";
import type { PrivateKey } from "./private_key.ts";
import { encodeName, type Subject } from "./subject.ts";
import { writeRequest } from "./x509.ts";

/** What {@linkcode createRequest} is told. */
export interface RequestSpec extends Subject {
  /** Key to be certified; it signs the request. */
  readonly key: PrivateKey;
  /** Names and addresses to ask for; default none. */
  readonly subjectAltNames?: Partial<SubjectAltNames>;
}

/**
 * Makes a request. Returns DER. Throws `ConfigError` if an organization is empty or an address is
 * no IP address.
 */
export async function createRequest(spec: RequestSpec): Promise<Uint8Array> {
  return await writeRequest({
    subject: encodeName(spec),
    key: spec.key,
    extensions: { subjectAltNames: spec.subjectAltNames },
  });
}
