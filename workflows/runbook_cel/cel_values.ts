/** Conversion of values to and from the CEL library. */

import { evaluate } from "@marcbachmann/cel-js";
import {
  durationText,
  parseNanoseconds,
} from "../../config/documents/scalars/duration.ts";
import { ConfigError } from "../../errors.ts";
import { isRecord, type Json } from "../../lib/json.ts";
import type { ValueField } from "./field.ts";
import { anyField } from "./resolve.ts";

interface CelDuration {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** The library does not export its class of durations. */
const CelDuration: new (seconds: bigint, nanos: number) => CelDuration =
  evaluate('duration("0s")').constructor;

/** Creates the empty object that stands for one of ours. */
export type Maker = new () => object;

/** Stands for a secret in the library; it has no members. */
export const Secret: Maker = class {};

const originals = new WeakMap<object, Json>();

const nanosPerSecond = 1_000_000_000n;

/**
 * Converts a value to one of the library. Absent values stay `undefined`.
 *
 * @param makers Makers of the objects, by type.
 * @throws {ConfigError} If the value does not have that type.
 */
export function toCel(
  value: Json | undefined,
  field: ValueField,
  makers: ReadonlyMap<ValueField, Maker>,
): unknown {
  if (value === undefined) return undefined;
  if (value === null) return field.type === "any" ? null : undefined;
  const inner = (one: Json) => toCel(one, field.items ?? anyField, makers);
  switch (field.type) {
    case "int":
      return typeof value === "number" && Number.isInteger(value)
        ? BigInt(value)
        : misfit(value, "a whole number");
    case "duration":
      return toDuration(value);
    case "timestamp":
      return toTimestamp(value);
    case "secret":
      return objectFor(new Secret(), value);
    case "list":
      return Array.isArray(value) ? value.map(inner) : misfit(value, "a list");
    case "map":
      return isRecord(value) ? mapValues(value, inner) : misfit(value, "a map");
    case "object":
      return toObject(value, field, makers);
    case "any":
    case "countOrPercent":
      return anything(value);
    default:
      return value;
  }
}

function toObject(
  value: Json,
  field: ValueField,
  makers: ReadonlyMap<ValueField, Maker>,
): unknown {
  if (!isRecord(value)) return misfit(value, "an object");
  const { fields } = field;
  const maker = makers.get(field);
  if (fields === undefined || maker === undefined) return anything(value);
  const made = objectFor(new maker(), value);
  for (const [key, part] of Object.entries(fields)) {
    const entered = toCel(value[key], part, makers);
    if (entered !== undefined) Reflect.set(made, key, entered);
  }
  return made;
}

function objectFor(made: object, value: Json): object {
  originals.set(made, value);
  return made;
}

function anything(value: Json): unknown {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? BigInt(value) : value;
  }
  if (Array.isArray(value)) return value.map(anything);
  return isRecord(value) ? mapValues(value, anything) : value;
}

function mapValues(
  value: Readonly<Record<string, Json>>,
  inner: (one: Json) => unknown,
): Map<string, unknown> {
  return new Map(
    Object.entries(value).map(([key, one]) => [key, inner(one)]),
  );
}

function toDuration(value: Json): CelDuration {
  const whole = typeof value === "string" ? parseNanoseconds(value) : undefined;
  if (whole === undefined) return misfit(value, "a duration");
  return new CelDuration(
    whole / nanosPerSecond,
    Number(whole % nanosPerSecond),
  );
}

function toTimestamp(value: Json): Date {
  const date = new Date(typeof value === "string" ? value : NaN);
  return Number.isNaN(date.getTime()) ? misfit(value, "a time") : date;
}

/**
 * Converts a value of the library to JSON: whole numbers from BigInt, times as
 * ISO 8601, durations in Go's notation, secrets as their handles.
 *
 * @throws {ConfigError} If it is bytes, a type, or a number without an exact JSON form.
 */
export function fromCel(value: unknown): Json {
  if (typeof value === "bigint") return toNumber(value);
  if (typeof value !== "object" || value === null) return value as Json;
  const original = originals.get(value);
  if (original !== undefined) return original;
  const text = textOfTime(value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) return value.map(fromCel);
  const isMap = value instanceof Map;
  if (!isMap && value.constructor !== Object) {
    throw new ConfigError(
      "Cannot use the result of an expression: it is bytes, an unsigned number or a type",
      { hint: "Convert it with string() or int()" },
    );
  }
  const entries = isMap ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, one]) => [String(key), fromCel(one)]),
  );
}

/** Formats times of the library; `undefined` for anything else. */
export function textOfTime(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  if (!(value instanceof CelDuration)) return undefined;
  return durationText(value.seconds * nanosPerSecond + BigInt(value.nanos));
}

function toNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new ConfigError(`Cannot use the number ${value}: it is too large`);
}

function misfit(value: Json, expected: string): never {
  throw new ConfigError(
    `Cannot use ${JSON.stringify(value)}: it is not ${expected}`,
  );
}
