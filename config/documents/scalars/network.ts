import { canonicalAddress } from "../../../lib/ip.ts";
import { parseWholeNumber } from "../../tree/implicit_type.ts";
import { notA, scalar, textual } from "./shape.ts";
import type { ScalarShape } from "../schema.ts";

const mostPort = 65535;

/** Bytes of a hardware address in hexadecimal; colons may be omitted, any length. */
export const hardwareAddress: ScalarShape = textual({
  name: "hardware address",
  shown: "value",
  expected: "bytes in hexadecimal with colons, such as 02:00:5e:10:00:01",
  json: { type: "string", pattern: "^([0-9A-Fa-f]:*[0-9A-Fa-f]:*)*$" },
  canonical: (text) => {
    const digits = text.replaceAll(":", "").toLowerCase();
    if (digits.length % 2 !== 0 || /[^0-9a-f]/.test(digits)) return undefined;
    return digits.match(/../g)?.join(":") ?? "";
  },
});

/** An IP address; IPv6 in the shortest spelling, optionally with a zone. */
export const address: ScalarShape = textual({
  name: "IP address",
  shown: "value",
  expected: "an IP address such as 10.0.0.1 or fd00::1",
  json: { type: "string", pattern: "^([0-9.]+|[0-9A-Fa-f.:]+(%.+)?)?$" },
  canonical: (text) => text === "" ? text : canonicalIp(text),
});

/** An IP address with a prefix length; host bits are kept. */
export const prefix: ScalarShape = textual({
  name: "CIDR",
  shown: "value",
  expected: "an address with a length, such as 10.0.0.0/24 or fd00::/64",
  json: { type: "string", pattern: "^([0-9A-Fa-f.:]+/[0-9]{1,3})?$" },
  canonical: canonicalPrefix,
});

/** An IP address and a port; IPv6 in brackets. */
export const addressPort: ScalarShape = textual({
  name: "address and port",
  shown: "value",
  expected:
    "an IP address and a port, such as 10.0.0.1:51820 or [fd00::1]:51820",
  json: {
    type: "string",
    pattern: "^(([0-9.]+|\\[[0-9A-Fa-f.:]+(%.+)?\\]):[0-9]+)?$",
  },
  canonical: canonicalAddressPort,
});

/** A port, written as a number, or a range. */
export const portRange: ScalarShape = scalar({
  name: "port or range of ports",
  shown: "value",
  expected: "a port such as 443, or a range such as 30000-32767",
  json: {
    anyOf: [
      { type: "integer", minimum: 0, maximum: mostPort },
      { type: "string", pattern: "^[0-9]+-[0-9]+$" },
    ],
  },
  zero: { text: "0", plain: true },
  read: (node) => {
    const single = node.plain ? parseWholeNumber(node.text) : undefined;
    if (single !== undefined && single >= 0n && single <= mostPort) {
      return { text: String(single), plain: true };
    }
    const [, ...ends] = /^(\d+)-(\d+)$/.exec(node.text) ?? [];
    const [first, last] = ends.map(Number);
    if (first === undefined || last === undefined) {
      return notA(node, "port or range of ports");
    }
    if (Math.max(first, last) > mostPort) {
      return { fault: `"${node.text}" goes beyond port ${mostPort}` };
    }
    return first === last
      ? { text: String(first), plain: true }
      : { text: `${first}-${last}`, plain: false };
  },
});

/** Mapped addresses keep their form, `::ffff:10.0.0.1`. */
function canonicalIp(text: string): string | undefined {
  const [, bare = "", zone = ""] = /^([^%[]*)(%.+)?$/s.exec(text) ?? [];
  const known = canonicalAddress(bare);
  if (known === undefined) return undefined;
  if (!bare.includes(":")) return zone === "" ? known : undefined;
  return `${known.includes(":") ? "" : "::ffff:"}${known}${zone}`;
}

function canonicalPrefix(text: string): string | undefined {
  if (text === "") return text;
  const [, ip = "", length = ""] = /^([^%]*)\/(0|[1-9]\d{0,2})$/s
    .exec(text) ?? [];
  const known = canonicalIp(ip);
  const most = ip.includes(":") ? 128 : 32;
  if (known === undefined || Number(length) > most) return undefined;
  return `${known}/${length}`;
}

function canonicalAddressPort(text: string): string | undefined {
  if (text === "") return text;
  const [, literal, plain = "", port = ""] =
    /^(?:\[(.*)\]|([^:[\]]*)):(\d+)$/s.exec(text) ?? [];
  const known = canonicalIp(literal ?? plain);
  if (known === undefined || Number(port) > mostPort) return undefined;
  if (known.includes(":") !== (literal !== undefined)) return undefined;
  const host = literal === undefined ? known : `[${known}]`;
  return `${host}:${Number(port)}`;
}
