/** Certificate requests (PKCS#10, RFC 2986), as nodes create them. */

import { ConfigError } from "../errors.ts";
import { readOid } from "./der_values.ts";
import {
  type Der,
  derTag,
  partAt,
  readDer,
  readElements,
  readSequence,
  requireTag,
} from "./der.ts";
import { readExtensions, type SubjectAltNames } from "./extensions.ts";
import { readSignature } from "./inspect.ts";
import { encodeName, type Name, readName, type SubjectName } from "./name.ts";
import { extensionRequestOid } from "./oid.ts";
import type { PrivateKey } from "./private_key.ts";
import { readPublicKey } from "./public_key.ts";
import { verifyWithKey } from "./signature.ts";
import { writeRequest } from "./x509.ts";

interface RequestSpec extends SubjectName {
  /** Key to certify, which signs the request. */
  readonly key: PrivateKey;
  /** Requested names and addresses; default none. */
  readonly subjectAltNames?: Partial<SubjectAltNames>;
}

/**
 * Creates a request. Returns DER. Throws `ConfigError` if an organization is empty or an address is not an IP address.
 */
export async function createRequest(spec: RequestSpec): Promise<Uint8Array> {
  return await writeRequest({
    subject: encodeName(spec),
    key: spec.key,
    extensions: { subjectAltNames: spec.subjectAltNames },
  });
}

interface RequestFacts {
  readonly subject: Name;
  /** Key to certify, DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly subjectAltNames: SubjectAltNames;
}

/**
 * Parses a request and verifies its signature with its own key.
 *
 * @param request DER.
 * @throws {ConfigError} If it is malformed, or its signature is invalid.
 */
export async function inspectRequest(
  request: Uint8Array,
): Promise<RequestFacts> {
  const outer = readDer(request, "certificate request");
  const signature = readSignature(outer);
  const info = partAt(outer, readSequence(outer), 0);
  const parts = readSequence(info);
  const { spki } = readPublicKey(partAt(info, parts, 2));
  if (!(await verifyWithKey(signature, spki))) {
    throw new ConfigError(
      "Cannot accept certificate request: its signature is wrong",
    );
  }
  return {
    subject: readName(partAt(info, parts, 1)),
    spki,
    subjectAltNames: readExtensions(requestedExtensions(parts)).subjectAltNames,
  };
}

/** Attributes are in `[0]`; one of them may list extensions. */
function requestedExtensions(parts: readonly Der[]): Der | undefined {
  const attributes = parts.find((part) => part.tag === 0xa0);
  for (const attribute of attributes ? readElements(attributes) : []) {
    const members = readSequence(attribute);
    if (readOid(partAt(attribute, members, 0)) !== extensionRequestOid) {
      continue;
    }
    const values = requireTag(partAt(attribute, members, 1), derTag.set);
    return partAt(values, readElements(values), 0);
  }
  return undefined;
}
