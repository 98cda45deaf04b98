/** IP addresses in the one spelling that can be compared. */

const ipv4 = /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/;
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Spells an IP address the way RFC 5952 does; mapped IPv4 addresses become IPv4.
 *
 * @param text Any spelling; IPv6 also in brackets or with a zone, which is dropped.
 * @returns `undefined` if the text is not an IP address.
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(canonicalAddress("[FE80:0::1%eth0]"), "fe80::1");
 * ```
 */
export function canonicalAddress(text: string): string | undefined {
  if (ipv4.test(text)) return text.split(".").every(isByte) ? text : undefined;
  const bare = text.replace(/^\[(.*)\]$/, "$1").replace(/%[^%]+$/, "");
  // Only these characters reach the URL parser, which accepts far more than addresses.
  if (!/^[0-9a-f:.]{2,45}$/i.test(bare) || !bare.includes(":")) {
    return undefined;
  }
  const url = URL.parse(`http://[${bare}]/`);
  if (url === null) return undefined;
  return unmapped(url.hostname.slice(1, -1));
}

/**
 * Address as certificates have it.
 *
 * @param bytes Network byte order.
 * @returns `undefined` unless there are 4 or 16 bytes.
 */
export function addressOfBytes(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  const groups = bytes.toHex().match(/.{4}/g) ?? [];
  return canonicalAddress(groups.join(":"));
}

function unmapped(address: string): string {
  const [, high, low] = mapped.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bytes = Uint8Array.fromHex(
    high.padStart(4, "0") + low.padStart(4, "0"),
  );
  return bytes.join(".");
}

function isByte(text: string): boolean {
  return Number(text) < 256;
}
