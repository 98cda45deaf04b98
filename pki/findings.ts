/** Checks of a client certificate, and their findings. */

import { ConfigError, type ConnectCause } from "../errors.ts";
import { allowsUsage, findCa, validityAt } from "./chain.ts";
import { sameBytes } from "./der.ts";
import type { CertificateFacts } from "./inspect.ts";
import { describeName } from "./name.ts";

/** A current or upcoming problem. */
export interface CertificateFinding {
  /** Cause, as for a failed connection. */
  readonly cause: ConnectCause;
  /** Finding with names and dates; capital first, no period. */
  readonly message: string;
  readonly hint: string;
  /** `error`: nodes reject this client. `warning`: nodes may reject it, or will soon. */
  readonly severity: "error" | "warning";
}

/** Warning period before expiry: 30 days, in milliseconds. */
export const expiryWarningMs = 30 * 24 * 60 * 60 * 1000;

/** Checks that the key matches the certificate; `spki` is its public half, DER. */
export function keyFindings(
  leaf: CertificateFacts,
  spki: Uint8Array,
): CertificateFinding[] {
  if (sameBytes(leaf.spki, spki)) return [];
  return [{
    cause: "client-key-mismatch",
    message: "Client key does not match the client certificate",
    hint:
      "Add a matching certificate and key to the context with: osctl config add",
    severity: "error",
  }];
}

/** Checks the validity of the certificate, and its remaining time. */
export function validityFindings(
  leaf: CertificateFacts,
  now: Date,
): CertificateFinding[] {
  const { notBefore, notAfter } = leaf;
  switch (validityAt(leaf, now)) {
    case "not-yet-valid":
      return [{
        cause: "client-not-yet-valid",
        message: `Client certificate is valid only from ${dateTime(notBefore)}`,
        hint: `Check the clock of this machine; it says ${dateTime(now)}`,
        severity: "error",
      }];
    case "expired":
      return [{
        cause: "client-expired",
        message: `Client certificate expired on ${dateTime(notAfter)}`,
        hint:
          "Renew it from a secrets bundle or a control plane configuration with: osctl config renew",
        severity: "error",
      }];
    case "valid":
      return expiresSoon(leaf, now) ? [expiring(notAfter, now)] : [];
  }
}

function expiring(notAfter: Date, now: Date): CertificateFinding {
  const left = remaining(notAfter, now);
  return {
    cause: "client-expired",
    message: `Client certificate expires on ${
      dateTime(notAfter)
    }, in ${left}; renew it with: osctl config renew`,
    hint: "A node renews it only until it expires",
    severity: "warning",
  };
}

/** Checks for client usage; nodes reject a list without it, but accept a missing list. */
export function usageFindings(leaf: CertificateFacts): CertificateFinding[] {
  const { extendedKeyUsage, keyUsage } = leaf;
  const hint = "Get a new client certificate with: osctl config new";
  if (!allowsUsage(leaf, "clientAuth")) {
    const uses = extendedKeyUsage?.join(", ") || "nothing";
    return [{
      cause: "client-no-client-auth",
      message:
        `Client certificate is not valid for client authentication: its extended key usage allows only ${uses}`,
      hint,
      severity: "error",
    }];
  }
  if (extendedKeyUsage !== undefined || keyUsage === undefined) return [];
  return [{
    cause: "client-no-client-auth",
    message:
      `Client certificate is not marked for client authentication: it has key usage ${
        keyUsage.join(", ")
      }, but no extended key usage`,
    hint,
    severity: "warning",
  }];
}

/** Checks that a valid CA signed it; without CAs there is no finding. */
export async function caFindings(
  leaf: CertificateFacts,
  cas: readonly CertificateFacts[],
  now: Date,
): Promise<CertificateFinding[]> {
  if (cas.length === 0) return [];
  const ca = await attemptToFind(leaf, cas);
  if (ca instanceof ConfigError) return [unsupportedKey(ca)];
  if (ca === undefined) return [wrongCa(leaf, cas)];
  switch (validityAt(ca, now)) {
    case "not-yet-valid":
      return [{
        cause: "client-not-yet-valid",
        message: `Certificate authority is valid only from ${
          dateTime(ca.notBefore)
        }`,
        hint: `Check the clock of this machine; it says ${dateTime(now)}`,
        severity: "error",
      }];
    case "expired":
      return [{
        cause: "ca-expired",
        message: `Certificate authority expired on ${dateTime(ca.notAfter)}`,
        hint: `Check the clock of this machine; it says ${
          dateTime(now)
        }; if it is right, the cluster needs a new CA`,
        severity: "error",
      }];
    case "valid":
      return expiresSoon(ca, now) ? [expiringCa(ca, now)] : [];
  }
}

async function attemptToFind(
  leaf: CertificateFacts,
  cas: readonly CertificateFacts[],
): Promise<CertificateFacts | ConfigError | undefined> {
  try {
    return await findCa(leaf, cas);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function unsupportedKey({ message }: ConfigError): CertificateFinding {
  return {
    cause: "unknown",
    message:
      `Cannot tell whether the CA signed the client certificate: ${message}`,
    hint: "If nodes reject it, get a new one with: osctl config new",
    severity: "warning",
  };
}

/** Nodes use their own list, which may be longer than that of the context: only a warning. */
function wrongCa(
  leaf: CertificateFacts,
  cas: readonly CertificateFacts[],
): CertificateFinding {
  const given = cas.map(({ subject }) => describeName(subject));
  return {
    cause: "client-wrong-ca",
    message: `Client certificate, signed by ${
      describeName(leaf.issuer)
    }, is not signed by the key of the context's CA ${given.join(" or ")}`,
    hint: "Use the CA and the client certificate of the same cluster",
    severity: "warning",
  };
}

function expiringCa(
  { notAfter }: CertificateFacts,
  now: Date,
): CertificateFinding {
  return {
    cause: "ca-expired",
    message: `Certificate authority expires on ${dateTime(notAfter)}, in ${
      remaining(notAfter, now)
    }; rotate it with: osctl rotate-ca`,
    hint: "Once it has expired, nodes reject every client",
    severity: "warning",
  };
}

function expiresSoon({ notAfter }: CertificateFacts, now: Date): boolean {
  return notAfter.getTime() - now.getTime() <= expiryWarningMs;
}

function remaining(end: Date, now: Date): string {
  const hours = Math.floor((end.getTime() - now.getTime()) / 3_600_000);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  return hours === 1 ? "1 hour" : `${Math.max(hours, 0)} hours`;
}

/** Date and time in UTC, to the second. */
function dateTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
