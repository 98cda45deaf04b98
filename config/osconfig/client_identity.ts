/** Certificates and key of a context, out of their base64. */

import { ConfigError } from "../../errors.ts";
import { processMasker } from "../../lib/masker.ts";
import type { NamedContext } from "./select_context.ts";

/** What a client proves itself with, and whom it trusts. */
interface ClientIdentity {
  /** CA that signs the nodes' certificates, PEM; may hold several certificates. */
  readonly ca?: string | undefined;
  /** The client's own certificate and key; proxies may need none. */
  readonly pair?: {
    readonly crt: string;
    readonly key: string;
  } | undefined;
}

/**
 * Decodes the identity of a context; whether it is valid is for `pki` to say.
 *
 * @param context Context whose `ca`, `crt` and `key` are wanted.
 * @throws {ConfigError} Names context and field if one is not base64 of PEM,
 * or if only one of `crt` and `key` is there.
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
 * Decodes base64; white space in it does not matter.
 *
 * @param text Base64 of the standard alphabet (RFC 4648 section 4).
 * @returns `undefined` when it is not base64.
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
