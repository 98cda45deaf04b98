/** Version ranges: `>=1.0.0 <2.0.0`. */

import { compareVersions, parseVersion } from "../../../lib/version.ts";

const part = /^(>=|<=|>|<|=)?(v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/;

/**
 * Reports whether a text is a range: comparisons separated by spaces, all of which must hold.
 *
 * @param text `>=1.0.0 <2.0.0`; a plain version matches exactly.
 */
export function parsesRange(text: string): boolean {
  const words = splitWords(text);
  return words.length > 0 && words.every((word) => part.test(word));
}

/** Reports whether a version is in a range. `version`: `1.2.3`, `v1.2.3-beta.0`; other text is in none. */
export function inRange(version: string, range: string): boolean {
  const given = parseVersion(version);
  if (given === undefined) return false;
  return splitWords(range).every((word) => {
    const [, sign = "=", text = ""] = part.exec(word) ?? [];
    const bound = parseVersion(text);
    return bound !== undefined && holds(compareVersions(given, bound), sign);
  });
}

function splitWords(text: string): readonly string[] {
  return text.trim().split(/\s+/).filter((word) => word !== "");
}

function holds(order: number, sign: string): boolean {
  switch (sign) {
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case "<":
      return order < 0;
    default:
      return order === 0;
  }
}
