import { staysText } from "../../tree/implicit_type.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import type { ScalarShape } from "../schema.ts";
import { notA, scalar } from "./shape.ts";

const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  "\u00b5s": 1e3,
  "\u03bcs": 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

const part = /(\d*)(?:\.(\d*))?(ns|[u\u00b5\u03bc]s|ms|s|m|h)/y;
const limit = 2n ** 63n;

/** A duration, `1h30m`; plain numbers are invalid, even `0`. */
export const duration: ScalarShape = scalar({
  name: "duration",
  shown: "value",
  expected: "a duration such as 90s or 1h30m",
  json: {
    type: "string",
    pattern:
      "^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|[u\u00b5\u03bc]s|ms|s|m|h))+)$",
  },
  zero: { text: "0s", plain: false },
  read: (node) => {
    if (node.plain && !staysText(node.text)) {
      return { fault: `${node.text} has no unit` };
    }
    const value = parseNanoseconds(node.text);
    if (value === undefined) return notA(node, "duration");
    return { text: durationText(value), plain: false };
  },
});

/** Finds a negative duration; `example` is a valid one. */
export function* notNegative(
  place: Cursor,
  example: string = "10s",
): Iterable<Problem> {
  if ((parseNanoseconds(place.text() ?? "") ?? 0n) >= 0n) return;
  yield place.error(
    `Time "${place.text()}" is negative`,
    `Give a positive time, such as ${example}`,
  );
}

/**
 * Parses a duration.
 *
 * @param text Numbers with the units `ns`, `us`, `ms`, `s`, `m` and `h`, or `0`.
 * @returns `undefined` if it is invalid or longer than 292 years.
 */
export function parseNanoseconds(text: string): bigint | undefined {
  const [, sign = "", rest = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  let total = 0n;
  for (let at = 0; at < rest.length; at = part.lastIndex) {
    part.lastIndex = at;
    const [, whole = "", fraction = "", unit = ""] = part.exec(rest) ?? [];
    if (whole + fraction === "") return undefined;
    const size = units[unit] ?? 0;
    total += BigInt(whole) * BigInt(size) + parseFraction(fraction, size);
    if (total > limit) return undefined;
  }
  if (sign === "-") return -total;
  return total < limit ? total : undefined;
}

// As on nodes: digits beyond the 63rd bit are ignored, and the rest is computed
// in floating point.
function parseFraction(digits: string, unit: number): bigint {
  let count = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = count * 10n + BigInt(digit);
    if (next > limit) break;
    count = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(count) * (unit / scale)));
}

/**
 * Formats a duration in the largest units, `1h30m0s`, or below a second in one unit, `1.5ms`.
 *
 * @param nanoseconds May be negative.
 */
export function durationText(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${durationText(-nanoseconds)}`;
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 3)}\u00b5s`;
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 6)}ms`;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  const minutes = nanoseconds / 60_000_000_000n;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  const clock = `${minutes % 60n}m${seconds}`;
  return hours === 0n ? clock : `${hours}h${clock}`;
}

function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  const whole = digits.slice(0, -places);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
