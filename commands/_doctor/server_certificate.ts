/** Checks the server certificate of a node, point by point. */

import { maintenanceCommonName } from "../../talos.ts";
import { ConfigError, type ConnectCause } from "../../errors.ts";
import { canonicalAddress } from "../../lib/ip.ts";
import { allowsUsage, findCa, validityAt } from "../../pki/chain.ts";
import { sameBytes } from "../../pki/der.ts";
import {
  type CertificateFacts,
  inspectCertificate,
} from "../../pki/inspect.ts";
import { describeName } from "../../pki/name.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { type ConnectTarget, nextStep } from "./next_step.ts";
import { type ConnectStage, passedRow, type StageRow } from "./row.ts";

interface CertificateCheck {
  readonly target: ConnectTarget;
  /** CAs of the context, PEM; `undefined` if it has none. */
  readonly ca: string | undefined;
}

/**
 * Checks the server certificate of a node.
 *
 * @returns Rows `mode`, `CA`, `validity`, `usage` and `name`; only `mode` in maintenance mode.
 */
export async function serverCertificateRows(
  der: Uint8Array,
  check: CertificateCheck,
): Promise<readonly StageRow[]> {
  const { target } = check;
  const certificate = attempt(() => inspectCertificate(der));
  if (certificate instanceof ConfigError) {
    return [failedRow("ca", "unknown", certificate.message, target)];
  }
  const mode = modeRow(certificate, target);
  if (certificate.subject.commonName === maintenanceCommonName) return [mode];
  return [
    mode,
    await caRow(certificate, check),
    validityRow(certificate, target),
    usageRow(certificate, target),
    nameRow(certificate, target),
  ];
}

function modeRow(
  { subject }: CertificateFacts,
  target: ConnectTarget,
): StageRow {
  const waits = subject.commonName === maintenanceCommonName;
  if (!waits) return passedRow("mode", "the node has a configuration");
  const detail = "the node is in maintenance mode: it has no configuration yet";
  return target.maintenance
    ? passedRow("mode", detail)
    : failedRow("mode", "maintenance", detail, target);
}

async function caRow(
  certificate: CertificateFacts,
  { ca, target }: CertificateCheck,
): Promise<StageRow> {
  const issuer = describeName(certificate.issuer);
  if (ca === undefined) {
    const why = `signed by ${issuer}, not verified`;
    return passedRow("ca", why, "skipped");
  }
  const given = attempt(() =>
    decodePemAs(pemLabel.certificate, ca).map(inspectCertificate)
  );
  if (given instanceof ConfigError) {
    return failedRow("ca", "client-malformed", given.message, target);
  }
  const issuerFacts = await findCa(certificate, given).catch(
    asConfigError,
  );
  if (issuerFacts instanceof ConfigError) {
    return failedRow("ca", "unknown", issuerFacts.message, target);
  }
  if (issuerFacts === undefined) {
    return failedRow(
      "ca",
      "wrong-ca",
      stranger(certificate, given),
      target,
    );
  }
  const when = validityAt(issuerFacts, target.now);
  if (when === "valid") {
    return passedRow("ca", `signed by the context's CA ${issuer}`);
  }
  return when === "expired"
    ? failedRow(
      "ca",
      "ca-expired",
      `the CA ${issuer} expired on ${dateTime(issuerFacts.notAfter)}`,
      target,
    )
    : failedRow(
      "ca",
      "server-not-yet-valid",
      `the CA ${issuer} is valid only from ${dateTime(issuerFacts.notBefore)}`,
      target,
    );
}

function stranger(
  { issuer, subject }: CertificateFacts,
  cas: readonly CertificateFacts[],
): string {
  if (sameBytes(issuer.der, subject.der)) return "self-signed";
  const namesake = cas.some((one) => sameBytes(one.subject.der, issuer.der));
  const names = cas.map(({ subject }) => describeName(subject));
  return namesake
    ? `signed by another CA with the same name as the context's CA, ${
      describeName(issuer)
    }`
    : `signed by ${describeName(issuer)}, not by the context's CA ${
      names.join(" or ")
    }`;
}

function validityRow(
  certificate: CertificateFacts,
  target: ConnectTarget,
): StageRow {
  const { notBefore, notAfter } = certificate;
  switch (validityAt(certificate, target.now)) {
    case "valid":
      return passedRow("validity", `valid until ${dateTime(notAfter)}`);
    case "expired":
      return failedRow(
        "validity",
        "server-expired",
        `expired on ${dateTime(notAfter)}`,
        target,
      );
    case "not-yet-valid":
      return failedRow(
        "validity",
        "server-not-yet-valid",
        `valid only from ${dateTime(notBefore)}`,
        target,
      );
  }
}

function usageRow(
  certificate: CertificateFacts,
  target: ConnectTarget,
): StageRow {
  if (allowsUsage(certificate, "serverAuth")) {
    return passedRow("usage", "is for servers");
  }
  const uses = certificate.extendedKeyUsage?.join(", ") || "nothing";
  const detail =
    `is not for servers: its extended key usage allows only ${uses}`;
  return failedRow("usage", "unknown", detail, target);
}

function nameRow(
  certificate: CertificateFacts,
  target: ConnectTarget,
): StageRow {
  const { dns, ips } = certificate.subjectAltNames;
  if (matchesHost(certificate, target.host)) {
    return passedRow("name", `is for "${target.host}"`);
  }
  const names = [...dns, ...ips].join(", ") || "no name";
  return failedRow(
    "name",
    "wrong-name",
    `is for ${names}, not for "${target.host}"`,
    target,
  );
}

function failedRow(
  stage: ConnectStage,
  cause: ConnectCause,
  detail: string,
  target: ConnectTarget,
): StageRow {
  const next = nextStep(cause, target);
  return { stage, result: "failed", detail, cause, next };
}

function attempt<T>(read: () => T): T | ConfigError {
  try {
    return read();
  } catch (error) {
    return asConfigError(error);
  }
}

function asConfigError(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  throw error;
}

function dateTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}

/**
 * Reports whether a certificate names a host.
 *
 * Only subject alternative names count. A wildcard matches exactly one label, the first.
 *
 * @param host IP address in any spelling, or DNS name in any case.
 */
export function matchesHost(
  certificate: Pick<CertificateFacts, "subjectAltNames">,
  host: string,
): boolean {
  const { dns, ips } = certificate.subjectAltNames;
  const address = canonicalAddress(host);
  if (address !== undefined) return ips.includes(address);
  const labels = splitLabels(host);
  return isHostName(labels) &&
    dns.some((pattern) => matchesPattern(splitLabels(pattern), labels));
}

function matchesPattern(
  pattern: readonly string[],
  host: readonly string[],
): boolean {
  if (pattern.length !== host.length) return false;
  const [first, ...rest] = pattern;
  if (first !== "*") return isHostName(pattern) && sameLabels(pattern, host);
  return isHostName(rest) && sameLabels(rest, host.slice(1));
}

/** Lower-case labels; a trailing dot is ignored. */
function splitLabels(name: string): readonly string[] {
  return name.toLowerCase().replace(/\.$/, "").split(".");
}

function isHostName(labels: readonly string[]): boolean {
  return labels.length > 0 &&
    labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

function sameLabels(one: readonly string[], other: readonly string[]): boolean {
  return one.every((label, index) => label === other[index]);
}
