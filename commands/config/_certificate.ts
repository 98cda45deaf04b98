import { decodeBase64 } from "../../config/osconfig/client_identity.ts";
import type { ClientContext } from "../../config/osconfig/osconfig.ts";
import { ConfigError } from "../../errors.ts";
import {
  type CertificateFacts,
  inspectCertificate,
} from "../../pki/inspect.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";

/** Decodes the PEM fields of a context, unvalidated. `context`: context from a file, whose base64 is valid. */
export function listPems(
  { ca, crt, key }: ClientContext,
): Readonly<Record<"ca" | "crt" | "key", Uint8Array | undefined>> {
  const decode = (text?: string) => text ? decodeBase64(text) : undefined;
  return { ca: decode(ca), crt: decode(crt), key: decode(key) };
}

/** Reads a client certificate. Returns `undefined` if there is none, or it is unreadable. */
export function readLeaf(
  pem: Uint8Array | undefined,
): CertificateFacts | undefined {
  if (pem === undefined) return undefined;
  try {
    return inspectCertificate(decodePemAs(pemLabel.certificate, pem)[0]);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
