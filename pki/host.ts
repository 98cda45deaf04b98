/** Whether a certificate was made for the host one connects to (RFC 6125). */

import { canonicalAddress } from "./address.ts";
import type { CertificateFacts } from "./inspect.ts";

/**
 * Reports whether a certificate names a host.
 *
 * Only subject alternative names count. A wildcard stands for the whole first
 * label, and for exactly one.
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
  const labels = labelsOf(host);
  return isHostName(labels) &&
    dns.some((pattern) => matchesPattern(labelsOf(pattern), labels));
}

function matchesPattern(
  pattern: readonly string[],
  host: readonly string[],
): boolean {
  if (pattern.length !== host.length) return false;
  const [first, ...rest] = pattern;
  if (first !== "*") return isHostName(pattern) && same(pattern, host);
  return isHostName(rest) && same(rest, host.slice(1));
}

/** Lower-case labels; one final dot means the same name. */
function labelsOf(name: string): readonly string[] {
  return name.toLowerCase().replace(/\.$/, "").split(".");
}

function isHostName(labels: readonly string[]): boolean {
  return labels.length > 0 &&
    labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.every((label, index) => label === other[index]);
}
