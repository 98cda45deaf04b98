/** Validates values of inputs: type, pattern and bounds. */

import { parseNanoseconds } from "../../../config/documents/scalars/duration.ts";
import type { Json } from "../../../lib/json.ts";
import type { RunbookInput } from "../runbook.ts";
import { valueFaults } from "./field_value.ts";
import { parseCountOrPercent } from "./scalars.ts";
import { opening } from "../../runbook_cel/template_text.ts";

interface InputFault {
  /** Error message, upper case first, no period. */
  readonly message: string;
  readonly hint: string;
}

/**
 * Validates the value of an input.
 *
 * @returns First fault; `undefined` when it is valid, or an expression.
 */
export function inputFault(
  value: Json,
  input: RunbookInput,
): InputFault | undefined {
  const [fault] = valueFaults(value, input);
  if (fault !== undefined) return fault;
  if (typeof value === "string" && value.includes(opening)) return undefined;
  return patternFault(value, input) ?? boundFault(value, input);
}

/** Compares two values. Returns below 0 when `a` is less; `undefined` when they are not comparable. */
export function compareValues(a: Json, b: Json): number | undefined {
  const [x, y] = [measureSize(a), measureSize(b)];
  if (x === undefined || y === undefined || x.unit !== y.unit) return undefined;
  return x.size < y.size ? -1 : x.size > y.size ? 1 : 0;
}

function patternFault(
  value: Json,
  { pattern }: RunbookInput,
): InputFault | undefined {
  if (pattern === undefined || typeof value !== "string") return undefined;
  if (new RegExp(`^(?:${pattern})$`, "u").test(value)) return undefined;
  return {
    message: `${JSON.stringify(value)} does not match its pattern`,
    hint: `Use a value that matches ${pattern}`,
  };
}

function boundFault(
  value: Json,
  { min, max }: RunbookInput,
): InputFault | undefined {
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  if (min !== undefined && (compareValues(value, min) ?? 0) < 0) {
    return {
      message: `${shown} is less than ${min}`,
      hint: `Give ${min} or more`,
    };
  }
  if (max !== undefined && (compareValues(value, max) ?? 0) > 0) {
    return {
      message: `${shown} is more than ${max}`,
      hint: `Give ${max} or less`,
    };
  }
  return undefined;
}

interface Sized {
  readonly size: number | bigint;
  readonly unit: "number" | "percent" | "time";
}

function measureSize(value: Json): Sized | undefined {
  if (typeof value === "number") return { size: value, unit: "number" };
  const count = parseCountOrPercent(value);
  if (count !== undefined) return { size: count.number, unit: "percent" };
  const length = typeof value === "string"
    ? parseNanoseconds(value)
    : undefined;
  return length === undefined ? undefined : { size: length, unit: "time" };
}
