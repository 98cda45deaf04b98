/** PGP keys for request signing: search and validation. */

import { ConfigError } from "../../errors.ts";
import type { PgpKey } from "./pgp.ts";

interface SigningKey {
  /** Identity of the signer: usually an email address. */
  readonly identity: string;
  readonly key: PgpKey;
  /** Source of the key, for messages. */
  readonly source: string;
  /** Hint for an expired key. */
  readonly renewal: string;
}

/** Search for the key of a user. */
export interface KeySearch {
  /** Email address in the context. */
  readonly identity: string;
  readonly context: string;
  /** Folders without a trailing slash; the first one with the key is used. */
  readonly folders: readonly string[];
  /** Reads a file; `undefined` if it does not exist. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

/** Hint for a missing or expired key; osctl does not register keys. */
const signIn =
  "Sign in with the client of the service behind the proxy, which writes a new key, or name its folder with --osv1-keys-dir";

/**
 * Reads the key of a user: `<folder>/<context>-<identity>.pgp`, an armored private key. Throws `ConfigError`
 * if it is missing or cannot be used.
 */
export async function findKey(search: KeySearch): Promise<SigningKey> {
  const { identity, context, folders, readText } = search;
  const paths = folders.map((one) => `${one}/${context}-${identity}.pgp`);
  for (const path of paths) {
    // The first existing file is used.
    const text = await readText(path);
    if (text === undefined) continue;
    const key = await readKey(text, path);
    return { identity, key, source: path, renewal: signIn };
  }
  const looked = paths.map((path) => `"${path}"`).join(" or ");
  throw new ConfigError(
    `Cannot sign requests as "${identity}": there is no key ${looked}`,
    { hint: signIn },
  );
}

/**
 * Reads the key of a service account.
 *
 * @param encoded Base64 of a JSON object with `name` and the armored `pgp_key`.
 * @throws {ConfigError} If it is invalid, or the key cannot be used.
 */
export async function serviceAccountKey(
  encoded: string,
  source: string,
): Promise<SigningKey> {
  const account = parseAccount(encoded);
  if (account === undefined) {
    throw new ConfigError(
      `Cannot use ${source}: it is not the key of a service account`,
      { hint: "Set it to the key that was shown when the account was created" },
    );
  }
  const key = await readKey(account.pgp_key, source);
  const renewal =
    "Renew the service account, and set the variable to its new key";
  return { identity: account.name, key, source, renewal };
}

function parseAccount(
  encoded: string,
): { readonly name: string; readonly pgp_key: string } | undefined {
  try {
    const bytes = Uint8Array.fromBase64(encoded);
    const { name, pgp_key } = JSON.parse(new TextDecoder().decode(bytes));
    const complete = typeof name === "string" && typeof pgp_key === "string";
    return complete ? { name, pgp_key } : undefined;
  } catch {
    // Not a valid service account.
    return undefined;
  }
}

// Loaded on demand, since it doubles the startup time.
async function readKey(armored: string, source: string): Promise<PgpKey> {
  const { readPgpKey } = await import("./pgp.ts");
  return await readPgpKey(armored, source);
}

/** Checks that a key has not expired. Throws `ConfigError` with the expiry time if it has. */
export function checkExpiry(
  { key, source, renewal }: SigningKey,
  now: Date,
): void {
  if (key.expires === undefined || key.expires > now) return;
  const end = key.expires.toISOString().replace(/\.\d+Z$/, "Z");
  throw new ConfigError(
    `Cannot sign requests with "${source}": the key expired on ${end}`,
    { hint: renewal },
  );
}
