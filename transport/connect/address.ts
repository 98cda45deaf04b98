/** IP addresses in text. */

/**
 * Tells addresses from names.
 *
 * @param host Without brackets; an IPv6 zone (`%eth0`) is allowed.
 * @returns 4, 6, or 0 for anything else.
 */
export function ipVersion(host: string): 0 | 4 | 6 {
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(host)) return 4;
  return host.includes(":") && URL.canParse(`http://[${withoutZone(host)}]/`)
    ? 6
    : 0;
}

/** Bytes of an address. `address`: for which `ipVersion` is not 0. Returns 4 or 16 bytes in network order. */
export function addressBytes(address: string): readonly number[] {
  if (ipVersion(address) === 4) return address.split(".").map(Number);
  // The URL parser writes all spellings of an IPv6 address as one (RFC 5952), without an IPv4 tail.
  const plain = new URL(`http://[${withoutZone(address)}]/`).hostname;
  const [head = "", tail = ""] = plain.slice(1, -1).split("::");
  const front = groups(head);
  const back = groups(tail);
  const gap: number[] = Array(8 - front.length - back.length).fill(0);
  return [...front, ...gap, ...back].flatMap((group) => [
    group >> 8,
    group & 255,
  ]);
}

function groups(part: string): readonly number[] {
  return part === "" ? [] : part.split(":").map((group) => parseInt(group, 16));
}

function withoutZone(host: string): string {
  return host.split("%")[0] ?? host;
}
