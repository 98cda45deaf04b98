/** Addresses, names and keys as the node's operating system reads them. */

import { canonicalAddress } from "../../lib/ip.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";

/** An address and how many of its leading bits name a network. */
interface Network {
  readonly address: string;
  readonly bits: number;
  /** Version of the Internet Protocol. */
  readonly family: 4 | 6;
}

interface HostAndPort {
  /** Name or address, without brackets; may be empty. */
  readonly host: string;
  /** Number or name of a service; may be empty. */
  readonly port: string;
}

/**
 * Tells which version of the Internet Protocol an address belongs to.
 *
 * @param text IPv4, or IPv6 without brackets and perhaps with a zone.
 * @returns `undefined` if the text is not an address.
 */
export function addressFamily(text: string): 4 | 6 | undefined {
  if (text.startsWith("[") || canonicalAddress(text) === undefined) {
    return undefined;
  }
  return text.includes(":") ? 6 : 4;
}

/** Reports whether an address is the one of no host, `0.0.0.0` or `::`. */
export function isUnspecified(text: string): boolean {
  return text === "0.0.0.0" ||
    (addressFamily(text) === 6 && canonicalAddress(text) === "::");
}

/**
 * Reads a network in CIDR notation.
 *
 * @param text Address without a zone, slash, length.
 * @returns `undefined` if it is none; host bits may be set.
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

/** Bits of an address as 0 and 1. `text`: IPv4, or IPv6 without a zone. */
function bitsOf(text: string): string {
  if (!text.includes(":")) {
    return text.split(".").map((byte) => binary(Number(byte), 8)).join("");
  }
  const [front = "", back] = (canonicalAddress(text) ?? "").split("::");
  if (front.includes(".")) {
    return `${"0".repeat(80)}${"1".repeat(16)}${bitsOf(front)}`;
  }
  const [left, right] = [front, back ?? ""].map((part) =>
    part.split(":").filter((group) => group !== "")
      .map((group) => binary(parseInt(group, 16), 16)).join("")
  );
  return `${left}${"0".repeat(128 - `${left}${right}`.length)}${right}`;
}

function binary(value: number, bits: number): string {
  return value.toString(2).padStart(bits, "0");
}

/** Reports whether a network in CIDR notation is written with its first address. */
export function isMasked(text: string): boolean {
  const { address, bits } = parseNetwork(text) ?? { address: "::", bits: 0 };
  return !bitsOf(address).slice(bits).includes("1");
}

/** Reports whether two networks in CIDR notation have addresses in common. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [parseNetwork(one), parseNetwork(other)];
  if (a === undefined || b === undefined || a.family !== b.family) return false;
  const common = Math.min(a.bits, b.bits);
  return bitsOf(a.address).slice(0, common) ===
    bitsOf(b.address).slice(0, common);
}

/** Reports whether a text is a network in CIDR notation or a single address. */
export function isNetworkOrAddress(text: string): boolean {
  return parseNetwork(text) !== undefined || addressFamily(text) !== undefined;
}

/**
 * Takes a host and a port apart.
 *
 * @param text `host:port`, IPv6 addresses in brackets.
 * @returns `undefined` if there is no colon before a port, or one too many.
 */
export function splitHostPort(text: string): HostAndPort | undefined {
  const found = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(text);
  if (found === null) return undefined;
  const [, literal, name = "", port = ""] = found;
  return { host: literal ?? name, port };
}

/**
 * Reports whether a text is a DNS name, with or without a final dot.
 *
 * Underscores count as letters; no label begins with a hyphen.
 */
export function isDnsName(text: string): boolean {
  if (text.replaceAll(".", "").length > 255) return false;
  return text.replace(/\.$/, "").split(".").every((label) =>
    /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/.test(label)
  );
}

/**
 * Counts the bytes a base64 text stands for.
 *
 * @param text Standard alphabet, padded; line breaks do not count.
 * @returns `undefined` if the text is not base64.
 */
export function base64Length(text: string): number | undefined {
  const bare = text.replace(/[\r\n]/g, "");
  const [, body = "", padding = ""] = /^([A-Za-z0-9+/]*)(={0,2})$/
    .exec(bare) ?? [bare, bare, " "];
  if (padding === " " || bare.length % 4 !== 0) return undefined;
  return Math.floor(body.length * 3 / 4);
}

interface UrlParts {
  /** Lower case; empty when there is none. */
  readonly scheme: string;
  /** Name or address without brackets; empty when there is none. */
  readonly host: string;
  /** Digits; empty when there is none. */
  readonly port: string;
  /** As written; empty, or begins with a slash unless there is neither scheme nor host. */
  readonly path: string;
  /** What follows the question mark, as written. */
  readonly query: string;
}

const schemed = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s;
const authority = /^\/\/([^/]*)(.*)$/s;
const unreadable = /%(?![0-9A-Fa-f]{2})/;

/** Takes a URL apart (RFC 3986). Returns `undefined` if a node could not read it. */
export function parseUrl(text: string): UrlParts | undefined {
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return undefined;
  const [, main = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
  const fragment = /#(.*)$/.exec(text)?.[1] ?? "";
  const [, scheme = "", rest = main] = schemed.exec(main) ?? [];
  if (unreadable.test(fragment) || (scheme === "" && /^[^/]*:/.test(rest))) {
    return undefined;
  }
  // What does not start with a slash after a scheme has no parts.
  if (scheme !== "" && !rest.startsWith("/")) {
    return {
      scheme: scheme.toLowerCase(),
      host: "",
      port: "",
      path: "",
      query,
    };
  }
  const [, named, path = rest] =
    (scheme === "" && rest.startsWith("///") ? null : authority.exec(rest)) ??
      [];
  const place = placeOf(named ?? "", /^https?$/i.test(scheme));
  if (place === undefined || unreadable.test(path)) return undefined;
  return { scheme: scheme.toLowerCase(), ...place, path, query };
}

/** Host and port of what is between `//` and the path. */
function placeOf(
  named: string,
  strict: boolean,
): Pick<UrlParts, "host" | "port"> | undefined {
  const user = named.slice(0, Math.max(named.lastIndexOf("@"), 0));
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(user) || unreadable.test(user)) {
    return undefined;
  }
  const place = named.slice(named.lastIndexOf("@") + 1);
  if (place.includes("[")) return literalPlace(place);
  const found = /^(?:([^:]*)|(.*):(\d*))$/.exec(place);
  const host = found?.[1] ?? found?.[2] ?? "";
  const port = found?.[3] ?? "";
  // Schemes of databases list several hosts with ports; the web's do not.
  if (found === null || (strict && host.includes(":"))) return undefined;
  return isUrlHost(host) ? { host, port } : undefined;
}

function literalPlace(
  place: string,
): Pick<UrlParts, "host" | "port"> | undefined {
  const [, literal = "", port = ""] = /^\[([^[\]]*)\](?::(\d*))?$/
    .exec(place) ?? [];
  const host = literal.replace("%25", "%");
  return addressFamily(host) === 6 ? { host, port } : undefined;
}

// One look for each kind of fault: alternatives under a star overflow the stack on long texts.
function isUrlHost(host: string): boolean {
  return !/%(?![89A-Fa-f][0-9A-Fa-f])/.test(host) &&
    !/[^A-Za-z0-9._~!$&'()*+,;=:<>"%\u0080-\u{10ffff}-]/u.test(host);
}

/** Nodes read the version of Kubernetes from the tag of an image. */
export function* kubernetesImageRules(place: Cursor): Iterable<Problem> {
  const image = place.text() ?? "";
  if (image === "" || /:v\d+\.\d+\.\d+[^:/]*$/.test(image)) return;
  if (/:v\d+\.\d+\.\d+[^:/@]*@[^@]+$/.test(image)) return;
  yield place.error(
    `Image "${image}" has no Kubernetes version as its tag`,
    "End it with a tag such as :v1.34.1; a digest may follow",
  );
}
