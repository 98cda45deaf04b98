/**
 * IP addresses and networks. Every call uses them; the usual package takes 39 ms of processor time to load, twice as
 * long as an empty program.
 */

/** An address and its prefix length. */
interface Network {
  readonly address: string;
  readonly bits: number;
  /** Version of the Internet Protocol. */
  readonly family: 4 | 6;
}

const ipv4 = /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/;
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Formats an IP address as in RFC 5952; mapped IPv4 addresses become IPv4.
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
  if (isIpv4(text)) return text;
  const address = canonicalIpv6(text.replace(/^\[(.*)\]$/, "$1"));
  const [, high, low] = mapped.exec(address ?? "") ?? [];
  if (high === undefined || low === undefined) return address;
  return [...groupBytes(high), ...groupBytes(low)].join(".");
}

/**
 * Returns the IP version of an address.
 *
 * @param text IPv4, or IPv6 without brackets, optionally with a zone.
 * @returns `undefined` if the text is not an address.
 */
export function addressFamily(text: string): 4 | 6 | undefined {
  if (isIpv4(text)) return 4;
  return canonicalIpv6(text) === undefined ? undefined : 6;
}

/**
 * Parses an address into bytes.
 *
 * @param text IPv4, or IPv6 without brackets; a zone is dropped.
 * @returns 4 or 16 bytes in network order; `undefined` if the text is not an address.
 */
export function addressBytes(text: string): readonly number[] | undefined {
  if (isIpv4(text)) return text.split(".").map(Number);
  const address = canonicalIpv6(text);
  if (address === undefined) return undefined;
  const [front = [], back = []] = address.split("::").map((part) =>
    part === "" ? [] : part.split(":").flatMap(groupBytes)
  );
  const gap = Array<number>(16 - front.length - back.length).fill(0);
  return [...front, ...gap, ...back];
}

/**
 * Formats an address of 4 or 16 bytes; a mapped one stays IPv6.
 *
 * @param bytes Network byte order.
 * @returns `undefined` for any other number of bytes.
 */
export function formatAddress(bytes: Iterable<number>): string | undefined {
  const all = Uint8Array.from(bytes);
  if (all.length === 4) return all.join(".");
  if (all.length !== 16) return undefined;
  return canonicalIpv6((all.toHex().match(/.{4}/g) ?? []).join(":"));
}

/**
 * Parses a network in CIDR notation.
 *
 * @param text Address without a zone, slash, prefix length.
 * @returns `undefined` if it is invalid; host bits may be set.
 */
export function parseNetwork(text: string): Network | undefined {
  const [, address = "", length = ""] = /^([^%/]+)\/(0|[1-9]\d{0,2})$/
    .exec(text) ?? [];
  const family = addressFamily(address);
  const bits = Number(length);
  if (family === undefined || bits > (family === 4 ? 32 : 128)) {
    return undefined;
  }
  return { address, bits, family };
}

/** Reports whether an address is in a network; false for another address family. */
export function contains({ address, bits }: Network, other: string): boolean {
  const [a, b] = [addressBytes(address), addressBytes(other)];
  return a !== undefined && b !== undefined && a.length === b.length &&
    maskBytes(a, bits).join() === maskBytes(b, bits).join();
}

/** Reports whether two networks in CIDR notation overlap; false if either is invalid. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [parseNetwork(one), parseNetwork(other)];
  if (a === undefined || b === undefined) return false;
  return a.bits < b.bits ? contains(a, b.address) : contains(b, a.address);
}

/** First address of a network. */
export function firstAddress({ address, bits }: Network): string {
  return formatAddress(maskBytes(addressBytes(address) ?? [], bits)) ?? address;
}

/**
 * Parses an IPv4 network into numbers.
 *
 * @param cidr Network in CIDR notation.
 * @returns First and last address; `undefined` if it is not an IPv4 network.
 */
export function ipv4Range(
  cidr: string,
): { readonly first: number; readonly last: number } | undefined {
  const network = parseNetwork(cidr);
  if (network?.family !== 4) return undefined;
  const first = toNumber(addressBytes(firstAddress(network)) ?? []);
  return { first, last: first + 2 ** (32 - network.bits) - 1 };
}

/** IPv4 address at an offset from the address in front of the slash. */
export function addressAt(cidr: string, offset: number): string {
  const number = toNumber(addressBytes(cidr.split("/")[0] ?? "") ?? []) +
    offset;
  return [24, 16, 8, 0].map((bits) => number >>> bits & 255).join(".");
}

/** Host for a URL: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Host and port for a URL. `host`: a name or an address, IPv6 without brackets. */
export function hostPort(host: string, port: number): string {
  return `${urlHost(host)}:${port}`;
}

function isIpv4(text: string): boolean {
  return ipv4.test(text) && text.split(".").every((part) => Number(part) < 256);
}

function canonicalIpv6(text: string): string | undefined {
  const bare = text.replace(/%[^%]+$/, "");
  // Guards the URL parser, which accepts far more than addresses.
  if (!/^[0-9a-f:.]{2,45}$/i.test(bare) || !bare.includes(":")) {
    return undefined;
  }
  return URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1);
}

function groupBytes(group: string): readonly [number, number] {
  const value = parseInt(group, 16);
  return [value >> 8, value & 255];
}

function maskBytes(bytes: readonly number[], bits: number): readonly number[] {
  return bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept));
  });
}

function toNumber(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}
