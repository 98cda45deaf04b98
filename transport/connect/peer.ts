/** Problems of the certificate of a node. */

import { X509Certificate } from "node:crypto";
import { maintenanceCommonName } from "../../talos.ts";
import type { ConnectCause } from "../../errors.ts";
import { addressFamily } from "../../lib/ip.ts";

/** Problem of a rejected certificate. */
export interface PeerVerdict {
  readonly reason: ConnectCause;
  /** Problem, to follow `Cannot trust "x": `. */
  readonly seen: string;
  /** Next step for the user; omitted if there is nothing specific. */
  readonly hint?: string;
}

const clockHint = "Check the clock of this machine and that of the node";

/** Finds the problem of a rejected certificate. */
export function judgePeer(
  certificate: X509Certificate,
  { ca, host, now }: {
    /** Expected CAs, PEM; default the system CAs. */
    readonly ca?: string | undefined;
    readonly host: string;
    readonly now: Date;
  },
): PeerVerdict {
  if (certificate.subject.split("\n").includes(maintenance)) {
    return {
      reason: "maintenance",
      seen: "the node is in maintenance mode: it has no configuration yet",
      hint:
        "Use --insecure, or apply a configuration with: osctl apply-config --insecure",
    };
  }
  const trusted = casIn(ca);
  const issuer = trusted.find((one) => isSignedBy(one, certificate));
  if (ca !== undefined && issuer === undefined) {
    return stranger(certificate, trusted);
  }
  if (issuer && isExpired(issuer, now)) {
    return {
      reason: "ca-expired",
      seen: `its CA expired on ${isoTime(issuer.validTo)}`,
    };
  }
  const problem = untimely(certificate, now) ??
    findWrongName(certificate, host);
  if (problem) return problem;
  return ca === undefined ? stranger(certificate) : {
    reason: "unknown",
    seen: "its certificate is not a server certificate",
  };
}

/** Converts `Nov 22 00:43:28 2026 GMT`, as Node.js prints it, to `2026-11-22T00:43:28Z`. */
function isoTime(text: string): string {
  return new Date(text).toISOString().replace(".000Z", "Z");
}

const maintenance = `CN=${maintenanceCommonName}`;

function casIn(ca: string | undefined): readonly X509Certificate[] {
  const blocks = ca?.match(
    /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs,
  );
  return (blocks ?? []).map((block) => new X509Certificate(block));
}

function isSignedBy(
  issuer: X509Certificate,
  certificate: X509Certificate,
): boolean {
  return certificate.issuer === issuer.subject &&
    certificate.verify(issuer.publicKey);
}

function stranger(
  certificate: X509Certificate,
  trusted: readonly X509Certificate[] = [],
): PeerVerdict {
  const { subject, issuer } = certificate;
  const signer = formatName(issuer, certificate, authorityKeyId);
  // CAs of different clusters usually have the same name.
  const known = trusted.map((ca) => formatName(ca.subject, ca, subjectKeyId))
    .join(", ");
  return {
    reason: "wrong-ca",
    seen: subject === issuer
      ? "its certificate is self-signed"
      : `its certificate is signed by ${signer}, which is not trusted here${
        known && `; trusted: ${known}`
      }`,
    hint:
      "The node belongs to another cluster, or its CA was rotated: choose the context with --context",
  };
}

/** Key identifiers in the DER of a certificate, in hexadecimal (RFC 5280, 4.2.1.1 and 4.2.1.2). */
const authorityKeyId = /0603551d2304..30..80..(\w{8})/;
const subjectKeyId = /0603551d0e04..04..(\w{8})/;

/** Formats the name of a CA with the start of its key identifier, if it is recorded. */
function formatName(
  name: string,
  { raw }: X509Certificate,
  keyId: RegExp,
): string {
  const [, id] = keyId.exec(raw.toString("hex")) ?? [];
  const shown = `"${name.replaceAll("\n", ", ")}"`;
  return id === undefined ? shown : `${shown} (key ID ${id})`;
}

function untimely(
  certificate: X509Certificate,
  now: Date,
): PeerVerdict | undefined {
  if (isExpired(certificate, now)) {
    return {
      reason: "server-expired",
      seen: `its certificate expired on ${isoTime(certificate.validTo)}`,
      hint: clockHint,
    };
  }
  if (now < new Date(certificate.validFrom)) {
    return {
      reason: "server-not-yet-valid",
      seen: `its certificate is not valid before ${
        isoTime(certificate.validFrom)
      }`,
      hint: clockHint,
    };
  }
}

function findWrongName(
  certificate: X509Certificate,
  host: string,
): PeerVerdict | undefined {
  const fits = addressFamily(host) === undefined
    ? certificate.checkHost(host)
    : certificate.checkIP(host);
  if (fits !== undefined) return undefined;
  const names = certificate.subjectAltName?.replaceAll("IP Address:", "")
    .replaceAll("DNS:", "") ?? "nothing";
  return {
    reason: "wrong-name",
    seen: `its certificate is for ${names}`,
    hint:
      `Use one of these as endpoint, or add "${host}" to the node's certificate`,
  };
}

function isExpired({ validTo }: X509Certificate, now: Date): boolean {
  return now > new Date(validTo);
}
