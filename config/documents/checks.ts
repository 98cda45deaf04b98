/** Addresses, names and keys as nodes parse them. */

import {
  addressFamily,
  canonicalAddress,
  firstAddress,
  parseNetwork,
} from "../../lib/ip.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";

interface HostAndPort {
  /** Name or address, without brackets; may be empty. */
  readonly host: string;
  /** Number or name of a service; may be empty. */
  readonly port: string;
}

/** Reports whether an address is unspecified, `0.0.0.0` or `::`. */
export function isUnspecified(text: string): boolean {
  return text === "0.0.0.0" ||
    (addressFamily(text) === 6 && canonicalAddress(text) === "::");
}

/** Reports whether the host bits of a network in CIDR notation are zero. */
export function isMasked(text: string): boolean {
  const network = parseNetwork(text);
  return network === undefined ||
    firstAddress(network) === firstAddress({ ...network, bits: 128 });
}

/** Reports whether a text is a network in CIDR notation or a single address. */
export function isNetworkOrAddress(text: string): boolean {
  return parseNetwork(text) !== undefined || addressFamily(text) !== undefined;
}

/**
 * Splits a host and a port.
 *
 * @param text `host:port`, IPv6 addresses in brackets.
 * @returns `undefined` without a colon before a port, or with one too many.
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
 * Counts the bytes of a base64 text.
 *
 * @param text Standard alphabet, padded; line breaks are ignored.
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
  /** Text after the question mark, as written. */
  readonly query: string;
}

const schemed = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s;
const authority = /^\/\/([^/]*)(.*)$/s;
const unreadable = /%(?![0-9A-Fa-f]{2})/;

/** Splits a URL (RFC 3986). Returns `undefined` if a node cannot parse it. */
export function parseUrl(text: string): UrlParts | undefined {
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return undefined;
  const [, main = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
  const fragment = /#(.*)$/.exec(text)?.[1] ?? "";
  const [, scheme = "", rest = main] = schemed.exec(main) ?? [];
  if (unreadable.test(fragment) || (scheme === "" && /^[^/]*:/.test(rest))) {
    return undefined;
  }
  // Opaque URLs, without a slash after the scheme, have no parts.
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
  const place = splitHost(named ?? "", /^https?$/i.test(scheme));
  if (place === undefined || unreadable.test(path)) return undefined;
  return { scheme: scheme.toLowerCase(), ...place, path, query };
}

/** Host and port from the part between `//` and the path. */
function splitHost(
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
  // Database URLs may list several hosts with ports; web URLs may not.
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

// A separate pattern for each kind of error: alternatives under a star overflow the stack on long texts.
function isUrlHost(host: string): boolean {
  return !/%(?![89A-Fa-f][0-9A-Fa-f])/.test(host) &&
    !/[^A-Za-z0-9._~!$&'()*+,;=:<>"%\u0080-\u{10ffff}-]/u.test(host);
}

/** Nodes take the Kubernetes version from the tag of an image. */
export function* kubernetesImageRules(place: Cursor): Iterable<Problem> {
  const image = place.text() ?? "";
  if (image === "" || /:v\d+\.\d+\.\d+[^:/]*$/.test(image)) return;
  if (/:v\d+\.\d+\.\d+[^:/@]*@[^@]+$/.test(image)) return;
  yield place.error(
    `Image "${image}" has no Kubernetes version as its tag`,
    "End it with a tag such as :v1.34.1; a digest may follow",
  );
}
