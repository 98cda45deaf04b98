/** The endpoint and the CA of these tests. */

import { createCa } from "../../../pki/ca.ts";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import type { ConnectTarget } from "../../../commands/_doctor/next_step.ts";

/** A node at 127.0.0.1. */
export const target: ConnectTarget = {
  host: "127.0.0.1",
  text: "127.0.0.1:50000",
  maintenance: false,
  now: new Date("2026-06-01T12:00:00Z"),
};

/**
 * A CA that was there before the tests and outlives them by default.
 *
 * @param organization Its name.
 * @param notAfter Its end.
 */
export function makeCa(
  organization = "talos",
  notAfter = new Date("2096-01-01T00:00:00Z"),
): Promise<CertificateAuthority> {
  return createCa({
    organizations: [organization],
    notBefore: new Date("2020-01-01T00:00:00Z"),
    notAfter,
  });
}
