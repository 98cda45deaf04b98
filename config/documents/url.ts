/** URLs as the node's operating system reads them, which is stricter and laxer than a browser. */

import { addressFamily } from "./checks.ts";

/** What rules ask of a URL. */
export interface UrlParts {
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
  // What does not begin with a slash after a scheme has no parts.
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

/** Host and port of what stands between `//` and the path. */
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
