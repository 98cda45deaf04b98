/** Shared checks for rules, and values as nodes parse them. */

import { isNetworkOrAddress, parseUrl } from "../documents/checks.ts";
import { addressFamily, parseNetwork } from "../../lib/ip.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isOlderMinor } from "../../lib/version.ts";
import type { RuleContext } from "./context.ts";

/** Hint for a text that is neither an address nor a network. */
export const addressHint =
  "Write an IP address such as 10.0.0.2 or one with a prefix length such as 10.0.0.2/24";

/** Hint for an invalid filter. */
export const filterHint =
  "Write a network such as 10.0.0.0/8 or an IP address, with ! in front to exclude it";

const units = new Set(
  [
    "",
    "b",
    ..."kmgtpe".split("").flatMap((p) => [p, `${p}i`, `${p}b`, `${p}ib`]),
  ],
);

/** Reports whether a text is an IP address without a zone. */
export function isAddress(text: string): boolean {
  return !text.includes("%") && addressFamily(text) !== undefined;
}

/** Reports whether a text is a network in CIDR notation; the length may have leading zeros. */
export function isCidr(text: string): boolean {
  return parseNetwork(text.replace(/\/0+(?=\d)/, "/")) !== undefined;
}

/** Reports whether a text is an IP address with or without a prefix length. */
export function isAddressOrCidr(text: string): boolean {
  return text.includes("/") ? isCidr(text) : isAddress(text);
}

/** Reports whether a text is a network or an address, optionally after `!`. */
export function isFilter(text: string): boolean {
  return isNetworkOrAddress(text.replace(/^!/, ""));
}

/** Reports whether a text is a human-readable size. `text`: `100GB`, `4 GiB`, `1,000`; units in any case. */
export function isSize(text: string): boolean {
  const [, number = "", unit = ""] = /^([\d.,]*)(.*)$/s.exec(text) ?? [];
  return /^(?:\d+\.?\d*|\.\d+)$/.test(number.replaceAll(",", "")) &&
    units.has(unit.trim().toLowerCase());
}

/**
 * Returns the error of a URL that must have a host.
 *
 * @param text With or without a port.
 * @returns A predicate without a subject, `has no host`; `undefined` if valid.
 */
export function endpointFault(text: string): string | undefined {
  const parts = parseUrl(text);
  if (hasBareIpv6(text, parts === undefined)) {
    return "has an IPv6 address without brackets";
  }
  if (parts === undefined) return "is not a URL";
  if (parts.host === "") return "has no host";
  if (parts.port === "") return undefined;
  const port = Number(parts.port);
  return port >= 1 && port <= 65535
    ? undefined
    : `has port ${parts.port}, which is out of range`;
}

/**
 * Reports whether a text is the URL of a service: absolute, without a path.
 *
 * A node also accepts `/`, and any text with a scheme and no slash.
 */
export function isServiceUrl(text: string): boolean {
  if (text.startsWith("/")) return /^\/(?:\?.*)?$/s.test(text);
  // A number sign does not start a fragment here.
  const parts = parseUrl(text.replaceAll("#", "%23"));
  return parts !== undefined && parts.scheme !== "" &&
    (parts.path === "" || parts.path === "/");
}

/** Web URLs allow one colon before the port, others allow one more. */
function hasBareIpv6(text: string, unreadable: boolean): boolean {
  const authority = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/([^/?#]*)/.exec(text)
    ?.[1] ?? "";
  const place = authority.slice(authority.lastIndexOf("@") + 1);
  const colons = place.split(":").length - 1;
  return !place.includes("[") && (colons > 2 || (unreadable && colons === 2));
}

/**
 * Texts of a sequence with their locations; nodes skip null elements.
 *
 * @param list Any location; empty unless it has a sequence.
 */
export function listTexts(list: Cursor): (readonly [Cursor, string])[] {
  return list.elements().flatMap((item) => {
    const text = item.text();
    return text === undefined ? [] : [[item, text] as const];
  });
}

/** Text at a location; empty if there is none. */
export function readText(place: Cursor): string {
  return place.text() ?? "";
}

/** Reports whether a location has a value, including an empty collection or text. */
export function isGiven(place: Cursor): boolean {
  return place.node !== undefined;
}

/** Quoted words for hints: `"a", "b" or "c"`. */
export function joinWords(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  return [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)]
    .filter((part) => part !== "").join(" or ");
}

type MachineRole = "controlplane" | "worker" | "unknown";

const roles: ReadonlyMap<string, MachineRole> = new Map([
  ["controlplane", "controlplane"],
  ["init", "controlplane"],
  ["worker", "worker"],
  ["join", "worker"],
  ["", "worker"],
]);

/** Machine type of a configuration; default `worker`. */
export function readRole(root: Cursor): MachineRole {
  return roles.get(readText(root.get("machine", "type"))) ?? "unknown";
}

/** The type must be known and written in full. */
export function* machineTypeRules(root: Cursor): Iterable<Problem> {
  const type = root.get("machine", "type");
  const text = readText(type);
  if (readRole(root) === "unknown") {
    yield type.error(
      `Machine type "${text}" does not exist`,
      'Write "controlplane" or "worker"',
    );
  } else if (text === "" || text === "join") {
    yield type.warning(
      text === ""
        ? "Machine type is missing; the default is worker"
        : `Machine type "${text}" is deprecated`,
      'Write "worker"',
    );
  }
}

/** Reports whether a version has separate documents for parts of the main one. */
export function isSplit({ version }: Pick<RuleContext, "version">): boolean {
  return !isOlderMinor(version, "1.14");
}

/** Documents of a kind. */
export function listDocuments(
  { documents }: Pick<RuleContext, "documents">,
  kind: string,
): readonly Cursor[] {
  return documents.flatMap((one) => one.kind === kind ? [one.cursor] : []);
}
