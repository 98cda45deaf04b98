/** Values that stand in a file as they are. */

import { nanosecondsOf } from "../../config/documents/scalar_duration.ts";
import { nearest } from "../../config/nearest.ts";
import type { Json } from "../operation.ts";
import type { Field } from "../runbooks/field.ts";
import { parseVersion } from "../upgrade/version.ts";
import { type Misfit, typeText } from "./types.ts";

/**
 * Tells why a value without parts does not fit where a type is wanted.
 *
 * @param value Text, number, true, false or null.
 * @param field The type; lists and objects are not looked at here.
 * @returns `undefined` when it fits.
 */
export function literalMisfit(
  value: Exclude<Json, object> | null,
  field: Field,
): Misfit | undefined {
  if (field.type === "secret") {
    return {
      message: "A secret cannot be written down here",
      hint: "Take it from an input of type secret, or from a step",
    };
  }
  if (isFitting(value, field)) return undefined;
  const message = `${JSON.stringify(value)} is not ${typeText(field)}`;
  const hint = hintFor(value, field);
  return hint === undefined ? { message } : { message, hint };
}

function isFitting(
  value: Exclude<Json, object> | null,
  { type, values = [] }: Field,
): boolean {
  const isText = typeof value === "string";
  switch (type) {
    case "any":
      return true;
    case "int":
      return Number.isSafeInteger(value);
    case "double":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "semver":
      return isText && parseVersion(value) !== undefined;
    case "enum":
      return isText && values.includes(value);
    case "duration":
      return isText && nanosecondsOf(value) !== undefined;
    case "timestamp":
      return isText && /^\d{4}-\d\d-\d\dT/.test(value) &&
        !Number.isNaN(Date.parse(value));
    case "countOrPercent":
      return isText
        ? /^\d+%?$/.test(value)
        : Number.isSafeInteger(value) && Number(value) >= 0;
    case "string":
    case "path":
    case "node":
      return isText;
    default:
      return false;
  }
}

function hintFor(
  value: Exclude<Json, object> | null,
  { type, values = [] }: Field,
): string | undefined {
  switch (type) {
    case "enum": {
      const near = nearest(String(value), values);
      return near === undefined ? undefined : `Did you mean "${near}"?`;
    }
    case "duration":
      return "Write it as 90s or 1h30m";
    case "timestamp":
      return "Write it as 2026-01-31T12:00:00Z";
    case "semver":
      return "Write it as v1.13.4";
    case "string":
      return value === null ? undefined : "Put it in quotes";
    default:
      return undefined;
  }
}
