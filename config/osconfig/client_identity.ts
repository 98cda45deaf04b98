/** Decodes certificates and key of a context. */

import { ConfigError } from "../../errors.ts";
import { processMasker } from "../../lib/masker.ts";
import type { NamedContext } from "./select_context.ts";

/** Credentials and trusted CA of a client. */
interface ClientIdentity {
  /** CA that signs the nodes' certificates, PEM; may hold several certificates. */
  readonly ca?: string | undefined;
  /** Certificate and key of the client; not always needed for proxies. */
  readonly pair?: {
    readonly crt: string;
    readonly key: string;
  } | undefined;
}

/**
 * Decodes the identity of a context; `pki` checks its validity.
 *
 * @param context Context with `ca`, `crt` and `key`.
 * @throws {ConfigError} With context and field if one is not base64 of PEM, or if only one of `crt` and `key` is set.
 */
export function clientIdentity(context: NamedContext): ClientIdentity {
  const ca = findPem(context, "ca");
  const crt = findPem(context, "crt");
  const key = findPem(context, "key");
  if (key !== undefined) processMasker.add(key);
  if (crt !== undefined && key !== undefined) return { ca, pair: { crt, key } };
  if (crt === undefined && key === undefined) return { ca };
  const [has, lacks] = key === undefined ? ["crt", "key"] : ["key", "crt"];
  throw new ConfigError(
    `Cannot use context "${context.name}": it has "${has}" but no "${lacks}"`,
    {
      hint:
        "A context needs both certificate and key; add it again with: osctl config add",
    },
  );
}

/**
 * Decodes base64; white space is ignored.
 *
 * @param text Base64 of the standard alphabet (RFC 4648 section 4).
 * @returns `undefined` if it is not base64.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function findPem(
  context: NamedContext,
  field: "ca" | "crt" | "key",
): string | undefined {
  const encoded = context[field];
  if (encoded === undefined || encoded === "") return undefined;
  const bytes = decodeBase64(encoded);
  if (bytes === undefined) throw broken(context.name, field, "base64");
  const text = new TextDecoder().decode(bytes);
  if (!text.includes("-----BEGIN ")) throw broken(context.name, field, "PEM");
  return text;
}

function broken(name: string, field: string, form: string): ConfigError {
  return new ConfigError(
    `Cannot use context "${name}": its "${field}" is not ${form}`,
    {
      hint:
        `"${field}" must be the base64 encoding of a PEM file; add the context again with: osctl config add`,
    },
  );
}
