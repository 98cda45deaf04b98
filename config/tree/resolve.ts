/** Types of plain scalars without a schema. */

import { parseWholeNumber, staysText } from "./implicit_type.ts";
import {
  type ConfigNode,
  findChild,
  type Plain,
  type ScalarNode,
} from "./node.ts";

interface ResolvedScalar {
  readonly text: string;
  readonly type: "text" | "truth value" | "number" | "time" | "null";
}

const words = new Map<string, ResolvedScalar>([
  ...wordTypes("truth value", "true", ["true", "True", "TRUE"]),
  ...wordTypes("truth value", "false", ["false", "False", "FALSE"]),
  ...wordTypes("null", "null", ["", "~", "null", "Null", "NULL"]),
  ...wordTypes("number", ".nan", [".nan", ".NaN", ".NAN"]),
  ...wordTypes("number", ".inf", [".inf", ".Inf", ".INF"]),
  ...wordTypes("number", ".inf", ["+.inf", "+.Inf", "+.INF"]),
  ...wordTypes("number", "-.inf", ["-.inf", "-.Inf", "-.INF"]),
  ...wordTypes("number", "-0", ["-0", "-0.0"]),
]);
const most = 2n ** 63n;

// Words of YAML 1.1, and numbers with colons that are not dates.
const old = /^(?:[yYnNoO<]|[^-]+:|[-+][^-]*:)/;
const instant =
  /^(\d{4})-(\d+)-(\d+)(?:(?:[Tt]| +)(\d+):(\d+):(\d+)(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)?)?$/;

/**
 * Resolves a plain scalar as nodes do, with the words and numbers of YAML
 * 1.2 and Go; those of YAML 1.1 only are texts.
 *
 * @param text A plain scalar.
 */
export function resolvePlain(text: string): ResolvedScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (staysText(text) || old.test(text)) return { text, type: "text" };
  const time = instant.exec(text);
  return time === null
    ? { text: numberText(text), type: "number" }
    : { text: timeText(time), type: "time" };
}

function wordTypes(
  type: ResolvedScalar["type"],
  text: string,
  spellings: readonly string[],
): readonly (readonly [string, ResolvedScalar])[] {
  return spellings.map((spelling) => [spelling, { text, type }]);
}

function numberText(text: string): string {
  const bare = text.replaceAll("_", "");
  const isWhole = /^[-+]?(?:\d+|0[xXoObB].*)$/.test(bare);
  const whole = isWhole ? parseWholeNumber(text) : undefined;
  if (whole === undefined) return fractionText(Number(bare));
  const limit = /^[-+]/.test(bare) ? most : 2n * most;
  return whole < limit && whole >= -most
    ? String(whole)
    : fractionText(Number(bare));
}

// The exponent has at least two digits.
function fractionText(value: number): string {
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function timeText(parts: RegExpExecArray): string {
  const [, year, ...rest] = parts;
  const [month, day, hour, minute, second] = rest.slice(0, 5).map((part) =>
    (part ?? "0").padStart(2, "0").slice(-2)
  );
  const fraction = (parts[7] ?? "").slice(0, 9).replace(/0+$/, "");
  const time = `${hour}:${minute}:${second}${fraction && `.${fraction}`}`;
  return `${year}-${month}-${day}T${time}${zoneText(parts[8])}`;
}

function zoneText(zone = "Z"): string {
  const [hours = NaN, minutes = NaN] = zone.slice(1).split(":").map(Number);
  const total = hours * 60 + minutes;
  if (zone === "Z" || total === 0) return "Z";
  const [h, m] = [Math.trunc(total / 60), total % 60].map((part) =>
    String(part).padStart(2, "0")
  );
  return `${zone[0]}${h}:${m}`;
}

/** Reports whether two values are equal, regardless of comments, key order and scalar style. */
export function sameValue(a: ConfigNode, b: ConfigNode): boolean {
  if (a === b) return true;
  if (a.kind === "scalar" && b.kind === "scalar") return sameScalar(a, b);
  if (a.kind === "list" && b.kind === "list") {
    return a.items.length === b.items.length &&
      a.items.every(({ value }, index) => {
        const other = b.items[index];
        return other !== undefined && sameValue(value, other.value);
      });
  }
  if (a.kind === "map" && b.kind === "map") {
    return a.entries.length === b.entries.length &&
      a.entries.every(({ key, value }, index) => {
        const beside = b.entries[index];
        // The order is usually the same, too.
        const other = beside?.key === key ? beside.value : findChild(b, key);
        return other !== undefined && sameValue(value, other);
      });
  }
  return false;
}

function sameScalar(a: ScalarNode, b: ScalarNode): boolean {
  if (a.plain === b.plain && a.text === b.text) return true;
  const [one, other] = [meaning(a), meaning(b)];
  return one.text === other.text && one.type === other.type;
}

function meaning({ text, plain }: ScalarNode) {
  return plain ? resolvePlain(text) : { text, type: "text" };
}

/** Converts a tree to plain values, with numbers, booleans and null for plain scalars. */
export function toPlain(node: ConfigNode): Plain {
  if (node.kind === "list") {
    return node.items.map(({ value }) => toPlain(value));
  }
  if (node.kind === "map") {
    return Object.fromEntries(
      node.entries.map(({ key, value }) => [key, toPlain(value)]),
    );
  }
  if (!node.plain) return node.text;
  const { text, type } = resolvePlain(node.text);
  if (type === "null") return null;
  if (type === "truth value") return text === "true";
  return type === "number" ? Number(text) : text;
}
