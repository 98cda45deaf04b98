/** Checks the identity of a client before anything is sent. */

import { ConfigError } from "../errors.ts";
import {
  caFindings,
  type CertificateFinding,
  keyFindings,
  usageFindings,
  validityFindings,
} from "./findings.ts";
import { type CertificateFacts, inspectCertificate } from "./inspect.ts";
import { exportPublicSpki } from "./key.ts";
import { decodePemAs, pemLabel } from "./pem.ts";

/** Identity of a client from a context; PEM. */
export interface ClientFiles {
  /** CAs the client trusts; not checked when absent. */
  readonly ca?: string | Uint8Array | undefined;
  /** Client certificate; `undefined` or empty if the context has none. */
  readonly crt: string | Uint8Array | undefined;
  /** Private key of the certificate; `undefined` or empty if the context has none. */
  readonly key: string | Uint8Array | undefined;
  /** Current time; default the system clock. */
  readonly now?: Date;
}

/**
 * Checks a client's certificate, key and CA against each other and the clock. Returns
 * findings, errors first; empty without problems. Invalid input never rejects.
 */
export async function diagnoseClientIdentity(
  { ca, crt, key, now = new Date() }: ClientFiles,
): Promise<readonly CertificateFinding[]> {
  if (!crt?.length || !key?.length) return [missing(crt)];
  const certificate = attempt(
    "client certificate",
    () => parseCertificates(crt),
  );
  const authorities = attempt(
    "certificate authority",
    () => ca?.length ? parseCertificates(ca) : [],
  );
  const spki = await attemptKey(key);
  const findings = [certificate, authorities, spki].filter(isFinding);
  const [leaf] = isFinding(certificate) ? [] : certificate;
  if (leaf !== undefined) {
    if (!isFinding(spki)) findings.push(...keyFindings(leaf, spki));
    findings.push(...validityFindings(leaf, now), ...usageFindings(leaf));
    if (!isFinding(authorities)) {
      findings.push(...await caFindings(leaf, authorities, now));
    }
  }
  return findings.toSorted(bySeverity);
}

function missing(crt: ClientFiles["crt"]): CertificateFinding {
  const what = crt?.length ? "key" : "certificate";
  return {
    cause: "client-missing",
    message: `Context has no client ${what}`,
    hint:
      "Choose another context, or get a client certificate with: osctl config new",
    severity: "error",
  };
}

function parseCertificates(pem: string | Uint8Array): CertificateFacts[] {
  return decodePemAs(pemLabel.certificate, pem).map(inspectCertificate);
}

function attempt<T>(what: string, read: () => T): T | CertificateFinding {
  try {
    return read();
  } catch (error) {
    return unreadable(what, error);
  }
}

async function attemptKey(
  pem: string | Uint8Array,
): Promise<Uint8Array | CertificateFinding> {
  try {
    return await exportPublicSpki(pem);
  } catch (error) {
    return unreadable("client key", error);
  }
}

function unreadable(what: string, error: unknown): CertificateFinding {
  if (!(error instanceof ConfigError)) throw error;
  return {
    cause: "client-malformed",
    message: `Context has an unusable ${what}: ${error.message}`,
    hint: error.hint ?? "Copy it again from its source, as PEM",
    severity: "error",
  };
}

function isFinding(result: object): result is CertificateFinding {
  return "cause" in result;
}

function bySeverity(
  one: CertificateFinding,
  other: CertificateFinding,
): number {
  return Number(one.severity === "warning") -
    Number(other.severity === "warning");
}
