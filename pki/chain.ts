/** Whether a certificate is trusted on the word of given CAs. */

import { ConfigError } from "../errors.ts";
import { sameBytes } from "./der.ts";
import { type CertificateFacts, inspectCertificate } from "./inspect.ts";
import { anyUsageOid } from "./oid.ts";
import { verifyWithKey } from "./signature.ts";

/** Why a certificate is not trusted. */
export type ChainProblem =
  | "expired"
  | "not-yet-valid"
  | "wrong-ca"
  | "ca-expired"
  | "ca-not-yet-valid"
  | "wrong-usage"
  | "unknown-extension";

type ChainVerdict =
  | {
    readonly trusted: true;
    readonly ca: CertificateFacts;
  }
  | {
    /** The certificate is not good. */
    readonly trusted: false;
    /** The first thing that is wrong. */
    readonly problem: ChainProblem;
    /** The CA that signed it; `undefined` when none of those given did. */
    readonly ca: CertificateFacts | undefined;
  };

/** What {@linkcode verifyChain} checks against. */
export interface ChainOptions {
  /** Moment the certificates have to be valid at. */
  readonly now: Date;
  /** Use the certificate has to allow; none is checked when absent. */
  readonly usage?: "clientAuth" | "serverAuth";
}

/**
 * Checks signature, validity, CA flag and usage of a certificate.
 *
 * Every given CA is trusted; the certificate has to be signed by one of them directly.
 *
 * @param leaf DER.
 * @param cas DER of each; several stand side by side while a CA is replaced.
 * @throws {ConfigError} If a certificate is malformed, or a signature cannot be checked.
 */
export async function verifyChain(
  leaf: Uint8Array,
  cas: readonly Uint8Array[],
  options: ChainOptions,
): Promise<ChainVerdict> {
  const facts = inspectCertificate(leaf);
  const ca = await findCa(
    facts,
    cas.map(inspectCertificate),
  );
  if (ca === undefined) {
    return { trusted: false, problem: "wrong-ca", ca };
  }
  const problem = findProblem(facts, ca, options);
  return problem === undefined
    ? { trusted: true, ca }
    : { trusted: false, problem, ca };
}

/**
 * Finds the CA that signed a certificate, whether or not it is valid now. Returns
 * `undefined` if none did. Throws `ConfigError` if none did, and of one it cannot be known because
 * its key or algorithm is not supported.
 */
export async function findCa(
  certificate: CertificateFacts,
  cas: readonly CertificateFacts[],
): Promise<CertificateFacts | undefined> {
  // Key identifiers are random, and new for a CA renewed with the same key,
  // so only names are compared before the signature is.
  const candidates = cas.filter((ca) =>
    maySign(ca) &&
    sameBytes(certificate.issuer.der, ca.subject.der)
  );
  let unsupported: ConfigError | undefined;
  // One after the other: there is one candidate, or two while a CA is replaced.
  for (const ca of candidates) {
    try {
      const signed = await verifyWithKey(certificate.signature, ca.spki);
      if (signed) return ca;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      unsupported = error;
    }
  }
  if (unsupported !== undefined) throw unsupported;
  return undefined;
}

/**
 * Reports where a moment lies relative to a certificate's validity. Returns `"valid"` also on the
 * first and the last second.
 */
export function validityAt(
  { notBefore, notAfter }: Pick<CertificateFacts, "notBefore" | "notAfter">,
  now: Date,
): "valid" | "expired" | "not-yet-valid" {
  if (now < notBefore) return "not-yet-valid";
  // The last second counts as a whole (RFC 5280, 4.1.2.5).
  return now.getTime() < notAfter.getTime() + 1000 ? "valid" : "expired";
}

function findProblem(
  leaf: CertificateFacts,
  ca: CertificateFacts,
  { now, usage }: ChainOptions,
): ChainProblem | undefined {
  const own = validityAt(leaf, now);
  if (own !== "valid") return own;
  const above = validityAt(ca, now);
  if (above !== "valid") return `ca-${above}`;
  if (usage !== undefined && !allowsUsage(leaf, usage)) return "wrong-usage";
  const unknown = [leaf, ca].some((one) => one.unknownCritical.length);
  return unknown ? "unknown-extension" : undefined;
}

/** Reports whether a certificate may be used so; one without a list may (RFC 5280, 4.2.1.12). */
export function allowsUsage(
  { extendedKeyUsage }: Pick<CertificateFacts, "extendedKeyUsage">,
  usage: "clientAuth" | "serverAuth",
): boolean {
  return extendedKeyUsage === undefined ||
    extendedKeyUsage.some((one) => one === usage || one === anyUsageOid);
}

function maySign({ isCa, keyUsage }: CertificateFacts): boolean {
  return isCa && (keyUsage === undefined || keyUsage.includes("keyCertSign"));
}
