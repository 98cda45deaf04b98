/** Client certificates signed here, and what a new one must be like. */

import type { AuthorityFiles } from "../../config/osconfig/authority_source.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { ConfigError } from "../../errors.ts";
import { readAuthority } from "../../pki/authority.ts";
import { issueCertificate } from "../../pki/certificate.ts";
import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { generateKey, publicSpkiOf } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { pemsOf } from "./_certificate.ts";

/** A new certificate and its key. */
export interface Issued {
  /** Certificate, PEM. */
  readonly crt: Uint8Array;
  /** Private key, PEM. */
  readonly key: Uint8Array;
}

/** What the certificate is to be like. */
export interface IssueSpec {
  /** Roles of the client. */
  readonly roles: readonly string[];
  /** How long it is valid, in milliseconds. */
  readonly lifetimeMs: number;
  /** First moment of validity. */
  readonly now: Date;
}

/**
 * Makes a key and signs a certificate for it.
 *
 * @param files Authority that signs; the new key is of the kind of its key.
 * @param spec Roles and validity.
 * @throws {ConfigError} If certificate and key are no authority.
 */
export async function issueLocally(
  files: AuthorityFiles,
  { roles, lifetimeMs, now }: IssueSpec,
): Promise<Issued> {
  const ca = await readAuthority(files.crt, files.key);
  const key = await generateKey(ca.key.algorithm);
  const certificate = await issueCertificate({
    ca,
    publicKey: await publicSpkiOf(key),
    subject: { organizations: roles },
    extendedKeyUsage: ["clientAuth"],
    notBefore: now,
    notAfter: new Date(now.getTime() + lifetimeMs),
  });
  const encoder = new TextEncoder();
  return {
    crt: encoder.encode(encodePem(pemLabel.certificate, certificate)),
    key: encoder.encode(encodePrivateKey(key)),
  };
}

/** What the check of a new certificate needs. */
export interface CheckOptions {
  /** Present moment. */
  readonly now: Date;
  /** Tells the user that clocks differ. */
  readonly note: (text: string) => void;
}

/**
 * Checks a new certificate before it takes the place of the old one.
 *
 * @param context Context it is for; its authority has to have signed the certificate.
 * @param issued Certificate and key.
 * @param options Present moment, and who is told of doubts.
 * @throws {ConfigError} If it would not work.
 */
export async function checkIssued(
  context: NamedContext,
  { crt, key }: Issued,
  { now, note }: CheckOptions,
): Promise<void> {
  const { ca } = pemsOf(context);
  if (ca === undefined) {
    throw unfit(context, "it has no authority to check the new one against");
  }
  const findings = await diagnoseClientIdentity({ ca, crt, key, now });
  for (const { cause, severity, message, hint } of findings) {
    if (cause === "client-wrong-ca") {
      throw unfit(
        context,
        "the authority that signs is not the one the context trusts",
        "Use a source of the same cluster; after a change of the authority: osctl config new, then osctl config merge",
      );
    }
    // A node's clock may be ahead of ours by a moment.
    if (cause === "client-not-yet-valid" || cause === "unknown") {
      note(`warning: ${message}`);
    } else if (severity === "error") throw unfit(context, message, hint);
  }
}

function unfit(
  { name }: NamedContext,
  why: string,
  hint?: string,
): ConfigError {
  return new ConfigError(
    `Cannot renew the certificate of context "${name}": ${why}`,
    hint === undefined ? {} : { hint },
  );
}
