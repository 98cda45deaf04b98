/** PGP keys that sign requests: where they are found, and whether they can be used. */

import { ConfigError } from "../../errors.ts";
import type { PgpKey } from "./pgp.ts";

interface SigningKey {
  /** Who signs: usually a mail address. */
  readonly identity: string;
  readonly key: PgpKey;
  /** Where it came from, for messages. */
  readonly source: string;
  /** What to do when it has expired. */
  readonly renewal: string;
}

/** Where the key of a person is looked for. */
export interface KeySearch {
  /** Mail address the context names. */
  readonly identity: string;
  readonly context: string;
  /** Folders without a slash at their end; the first that has the key counts. */
  readonly folders: readonly string[];
  /** Text of a file, `undefined` when there is none. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

/** What can be done about a key that is missing or has expired; osctl registers none itself. */
const signIn =
  "Sign in with the client of the service behind the proxy, which writes a new key, or name its folder with --osv1-keys-dir";

/**
 * Reads the key of a person: `<folder>/<context>-<identity>.pgp`, an armored private key. Throws
 * `ConfigError` if there is none, or it cannot be used.
 */
export async function findKey(search: KeySearch): Promise<SigningKey> {
  const { identity, context, folders, readText } = search;
  const paths = folders.map((one) => `${one}/${context}-${identity}.pgp`);
  for (const path of paths) {
    // The first that exists counts.
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
 * @throws {ConfigError} If it is something else, or the key cannot be used.
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
    // Whatever is wrong with it, it is not an account.
    return undefined;
  }
}

// Loaded only when it is needed, since it takes as long as everything else together.
async function readKey(armored: string, source: string): Promise<PgpKey> {
  const { readPgpKey } = await import("./pgp.ts");
  return await readPgpKey(armored, source);
}

/** Makes sure that a key has not expired. Throws `ConfigError` if it has; the message says when. */
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
