import { textual } from "./shape.ts";
import { address } from "./network.ts";
import type { ScalarShape } from "../schema.ts";

/** Parts of a URL with different escaping rules. */
type UrlPart = "user" | "host" | "path" | "fragment";

// Unescaped characters besides letters, digits and -_.~, in parts that need escaping.
const bare: Readonly<Record<UrlPart, RegExp>> = {
  user: /[$&+,;=]/,
  host: /[!$&'()*+,;=:[\]<>"]/,
  path: /[$&+,/:;=@]/,
  fragment: /[$&+,/:;=?@!()*]/,
};

// A path or fragment of these is written as read.
const asWritten = {
  path: /^[\w.~!$&'()*+,;=:@[\]%/-]*$/,
  fragment: /^[\w.~!$&'()*+,;=:@[\]%/?-]*$/,
};

const hostCharacters = /^[\w.~!$&'()*+,;=:[\]<>"%\x80-\xff-]*$/;
const userCharacters = /^[\w.:~!$&'()*+,;=%@-]*$/;

/** A URL, also a relative one; the empty text means none. */
export const url: ScalarShape = textual({
  name: "URL",
  shown: "value",
  expected: "a URL such as https://example.com:6443/path",
  json: { type: "string", format: "uri-reference" },
  hidden: true,
  canonical: canonicalUrl,
});

/**
 * Formats a URL (RFC 3986) as nodes do: lower-case scheme, required escapes, unchanged
 * query. Returns `undefined` if a node cannot parse it.
 */
export function canonicalUrl(text: string): string | undefined {
  const cut = text.indexOf("#");
  const main = cut < 0 ? text : text.slice(0, cut);
  const fragment = respell(cut < 0 ? "" : text.slice(cut + 1), "fragment");
  // deno-lint-ignore no-control-regex
  if (fragment === undefined || /[\0-\x1f\x7f]/.test(main)) return undefined;
  const [, before = "", query = ""] = /^([^?]*)(.*)$/s.exec(main) ?? [];
  const place = canonicalPlace(before);
  if (place === undefined) return undefined;
  return `${place}${query}${fragment === "" ? "" : `#${fragment}`}`;
}

function canonicalPlace(text: string): string | undefined {
  if (text.startsWith(":")) return undefined;
  const [, given, rest = text] = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s
    .exec(text) ?? [];
  const scheme = given === undefined ? "" : `${given.toLowerCase()}:`;
  if (!rest.startsWith("/")) {
    return scheme === "" ? canonicalRelative(rest) : `${scheme}${rest}`;
  }
  const named = rest.startsWith("//") &&
    (scheme !== "" || !rest.startsWith("///"));
  const [, authority = "", tail = rest] = named
    ? /^\/\/([^/]*)(.*)$/s.exec(rest) ?? []
    : [];
  const path = respell(tail, "path");
  const host = canonicalAuthority(authority);
  if (path === undefined || host === undefined) return undefined;
  return `${scheme}${slashes(scheme, named, host, path)}${host}${path}`;
}

// A colon before the first slash would turn the text before it into a scheme.
function canonicalRelative(text: string): string | undefined {
  const colon = /^[^/]*:/;
  const path = colon.test(text) ? undefined : respell(text, "path");
  return path !== undefined && colon.test(path) ? `./${path}` : path;
}

function slashes(
  scheme: string,
  named: boolean,
  host: string,
  path: string,
): string {
  if (!named) return "";
  if (host !== "") return "//";
  return scheme !== "" && path !== "" ? "//" : "";
}

function canonicalAuthority(text: string): string | undefined {
  const cut = text.lastIndexOf("@");
  const host = canonicalHost(text.slice(cut + 1));
  if (cut < 0 || host === undefined) return host;
  const user = text.slice(0, cut);
  if (!userCharacters.test(user)) return undefined;
  const colon = user.indexOf(":");
  const name = escapePart(colon < 0 ? user : user.slice(0, colon), "user");
  const word = escapePart(colon < 0 ? "" : user.slice(colon + 1), "user");
  if (name === undefined || word === undefined) return undefined;
  return `${name}${colon < 0 ? "" : `:${word}`}@${host}`;
}

// Several hosts with ports are allowed, as in database URLs.
function canonicalHost(text: string): string | undefined {
  if (text.includes("[")) return canonicalLiteral(text);
  const colon = text.lastIndexOf(":");
  if (colon >= 0 && !/^:\d*$/.test(text.slice(colon))) return undefined;
  return plainHost(text);
}

/** An IPv6 address in brackets; `%25` in front of its zone. */
function canonicalLiteral(text: string): string | undefined {
  const [, literal = "", port = ""] = /^\[(.*)\](:\d*)?$/s.exec(text) ?? [];
  const host = unescape(literal);
  const known = address.read({ kind: "scalar", text: host, plain: false });
  if ("fault" in known || !known.text.includes(":")) return undefined;
  const spelling = plainHost(`[${literal}]`);
  return spelling === undefined ? undefined : `${spelling}${port}`;
}

// In a host, only bytes beyond ASCII and the percent sign may be escaped.
function plainHost(text: string): string | undefined {
  const bytes = binary(text);
  if (!hostCharacters.test(bytes) || /%(?![89A-Fa-f]|25)/.test(bytes)) {
    return undefined;
  }
  return escapePart(text, "host");
}

function respell(text: string, part: "path" | "fragment"): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return asWritten[part].test(text) ? text : escapePart(text, part);
}

function escapePart(text: string, part: UrlPart): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  return unescape(binary(text)).replace(
    /[^A-Za-z0-9_.~-]/g,
    (byte) => bare[part].test(byte) ? byte : percent(byte),
  );
}

function unescape(text: string): string {
  return text.replace(
    /%([0-9A-Fa-f]{2})/g,
    (_, digits: string) => String.fromCharCode(parseInt(digits, 16)),
  );
}

function percent(byte: string): string {
  const digits = byte.charCodeAt(0).toString(16).toUpperCase();
  return `%${digits.padStart(2, "0")}`;
}

function binary(text: string): string {
  return Array.from(
    new TextEncoder().encode(text),
    (byte) => String.fromCharCode(byte),
  ).join("");
}
