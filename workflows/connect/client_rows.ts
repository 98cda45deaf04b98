/** What is right and wrong with the client's own certificate. */

import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { splitRoles } from "../../pki/roles.ts";
import { passed, type StageRow } from "./row.ts";

/** Certificates of a context, PEM; what it lacks is `undefined`. */
export interface ClientCertificates {
  /** Authorities. */
  readonly ca?: string | undefined;
  /** Client certificate. */
  readonly crt?: string | undefined;
  /** Its private key. */
  readonly key?: string | undefined;
}

/**
 * Looks at the client's certificate; nothing is sent.
 *
 * @returns One row for each thing that is wrong; rows `client` and `role` when all is well.
 */
export async function clientRows(
  { ca, crt, key }: ClientCertificates,
  now: Date,
): Promise<readonly StageRow[]> {
  if (crt === undefined && key === undefined) {
    return [passed("client", "the context has no certificate", "skipped")];
  }
  const findings = await diagnoseClientIdentity({ ca, crt, key, now });
  const rows = findings.map(({ cause, message, hint, severity }): StageRow => ({
    stage: "client",
    result: severity === "error" ? "failed" : "warning",
    detail: message,
    cause,
    next: hint,
  }));
  if (rows.some(({ result }) => result === "failed")) return rows;
  const [der] = decodePemAs(pemLabel.certificate, crt ?? "");
  // The diagnosis has read it before.
  const { notAfter, subject } = inspectCertificate(der!);
  const until = notAfter.toISOString().replace(/\.\d+Z$/, "Z");
  return [
    ...rows.length > 0 ? rows : [passed("client", `valid until ${until}`)],
    roleRow(subject.organizations),
  ];
}

function roleRow(organizations: readonly string[]): StageRow {
  const { known } = splitRoles(organizations);
  if (known.length > 0) return passed("role", known.join(", "));
  return {
    stage: "role",
    result: "warning",
    detail: "the client certificate has no role, nodes refuse most calls",
    next: "Get a client certificate with a role with: osctl config new",
  };
}
