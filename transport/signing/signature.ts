/** Request signatures, by which proxies authenticate users. */

import { requestSignature } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";
import type { Metadata, Sign } from "../call/metadata.ts";
import {
  checkExpiry,
  findKey,
  type KeySearch,
  serviceAccountKey,
} from "./signing_key.ts";

/** Signing key: of a service account or a user. */
export interface SignerOptions extends KeySearch {
  /** Key of a service account, used instead of the user's key. */
  readonly serviceAccount?: {
    readonly encoded: string;
    /** Name of its environment variable. */
    readonly variable: string;
  } | undefined;
  readonly now?: () => Date;
}

/** Signed metadata, in order. */
const signedKeys = [
  "authorization",
  "cluster",
  "context",
  "fieldSelectors",
  "namespace",
  "nodes",
  "runtime",
  "selectors",
  "uid",
  requestSignature.timestampKey,
] as const;

/**
 * Loads the key to sign requests with.
 *
 * The signed text is a JSON object of the method and the signed metadata. It is sent with the request,
 * together with its detached PGP signature. The proxy verifies both.
 *
 * @throws {ConfigError} If the key is missing or cannot be used.
 */
export async function loadSigner(options: SignerOptions): Promise<Sign> {
  const { serviceAccount, now = () => new Date() } = options;
  const signer = serviceAccount
    ? await serviceAccountKey(serviceAccount.encoded, serviceAccount.variable)
    : await findKey(options);
  checkIdentity(signer.identity);
  checkExpiry(signer, now());

  return async (path, metadata) => {
    const time = now();
    checkExpiry(signer, time);
    const seconds = Math.floor(time.getTime() / 1000);
    const timestamp = { [requestSignature.timestampKey]: String(seconds) };
    const payload = formatPayload(path, { ...metadata, ...timestamp });
    const signature = await signer.key.sign(payload, time);
    return {
      ...timestamp,
      [requestSignature.payloadKey]: payload,
      [requestSignature.signatureKey]: [
        requestSignature.version,
        signer.identity,
        signer.key.fingerprint,
        signature.toBase64(),
      ].join(" "),
    };
  };
}

/** The parts of the signature header are separated by spaces. */
function checkIdentity(identity: string): void {
  if (/^[\x21-\x7e]+$/.test(identity)) return;
  throw new ConfigError(
    `Cannot sign requests as "${identity}": it is not an email address or name`,
    { hint: "Correct the identity in the context" },
  );
}

function formatPayload(method: string, metadata: Metadata): string {
  const headers = Object.fromEntries(signedKeys.map((key) => {
    const value = metadata[key.toLowerCase()];
    return [key, value === undefined ? null : [value]];
  }));
  const json = JSON.stringify({ headers, method });
  // Metadata must be ASCII.
  return json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
