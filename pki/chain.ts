/** Verifies certificates against given CAs. */

import { ConfigError } from "../errors.ts";
import { sameBytes } from "./der.ts";
import { type CertificateFacts, inspectCertificate } from "./inspect.ts";
import { anyUsageOid } from "./oid.ts";
import { verifyWithKey } from "./signature.ts";

/** Reason for not trusting a certificate. */
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
    readonly trusted: false;
    /** The first problem. */
    readonly problem: ChainProblem;
    /** The CA that signed it; `undefined` if none of the given ones did. */
    readonly ca: CertificateFacts | undefined;
  };

/** Options of {@linkcode verifyChain}. */
export interface ChainOptions {
  /** Time at which the certificates must be valid. */
  readonly now: Date;
  /** Required extended key usage; default none. */
  readonly usage?: "clientAuth" | "serverAuth";
}

/**
 * Verifies signature, validity, CA flag and usage of a certificate.
 *
 * Every given CA is trusted; one of them must have signed the certificate directly.
 *
 * @param leaf DER.
 * @param cas DER of each; there are several during a CA rotation.
 * @throws {ConfigError} If a certificate is malformed, or a signature cannot be verified.
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
 * Finds the CA that signed a certificate, valid or not. Returns `undefined` if none did. Throws
 * `ConfigError` if no match was found and the key or algorithm of a CA is not supported.
 */
export async function findCa(
  certificate: CertificateFacts,
  cas: readonly CertificateFacts[],
): Promise<CertificateFacts | undefined> {
  // Key identifiers are random, and change if a CA is renewed with the same key,
  // so only names are compared before the signature.
  const candidates = cas.filter((ca) =>
    maySign(ca) &&
    sameBytes(certificate.issuer.der, ca.subject.der)
  );
  let unsupported: ConfigError | undefined;
  // In sequence: there is one candidate, or two during a CA rotation.
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

/** Compares a time with a certificate's validity. Returns `"valid"` also for the first and the last second. */
export function validityAt(
  { notBefore, notAfter }: Pick<CertificateFacts, "notBefore" | "notAfter">,
  now: Date,
): "valid" | "expired" | "not-yet-valid" {
  if (now < notBefore) return "not-yet-valid";
  // The last second is included (RFC 5280, 4.1.2.5).
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

/** Reports whether a certificate allows a usage; one without a list allows all (RFC 5280, 4.2.1.12). */
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
