/** Checks for fields of every kind: required fields, version support, and CEL expressions. */

import { isOlderMinor } from "../../lib/version.ts";
import type { ExpressionEnvironment } from "../document_cel/environments.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";
import type { Field, Fields, OsVersion, Shape } from "./schema.ts";

interface FoundExpression {
  readonly cursor: Cursor;
  readonly text: string;
  readonly environment: ExpressionEnvironment;
}

/** A field that exists, or could exist in an existing mapping. */
interface FieldPlace {
  readonly cursor: Cursor;
  readonly field: Field;
}

/** Finds missing required fields. */
export function* missingFields(
  document: Cursor,
  fields: Fields,
): Iterable<Problem> {
  for (const { cursor, field } of places(document, fields)) {
    if (field.required && isEmpty(cursor)) {
      const key = String(cursor.path.at(-1));
      yield cursor.error(
        `"${key}" is missing`,
        `Give ${key}: ${field.summary}`,
      );
    }
  }
}

/** Finds fields that an OS version does not know. */
export function* unknownTo(
  document: Cursor,
  fields: Fields,
  version: OsVersion,
): Iterable<Problem> {
  for (const { cursor, field } of places(document, fields)) {
    if (cursor.node === undefined) continue;
    yield* unknownLists(cursor, field.shape, version);
    const came = field.newer?.[cursor.text() ?? ""];
    if (came !== undefined && isOlderMinor(version, came)) {
      yield cursor.error(
        `Version ${version} does not support "${cursor.text()}"`,
        `It is supported since ${came}`,
      );
    }
    if (field.since !== undefined && isOlderMinor(version, field.since)) {
      yield cursor.error(
        `Version ${version} does not support this key`,
        `It is supported since ${field.since}`,
      );
    }
    if (field.until !== undefined && !isOlderMinor(version, field.until)) {
      yield cursor.error(
        `Version ${version} does not support this key`,
        `It was removed in ${field.until}`,
      );
    }
  }
}

/** Lists for single values, which a version does not support yet. */
function* unknownLists(
  cursor: Cursor,
  shape: Shape,
  version: OsVersion,
): Iterable<Problem> {
  if (shape.shape !== "map" || shape.of.shape !== "list") return;
  const { loneUntil: since } = shape.of;
  if (since === undefined || !isOlderMinor(version, since)) return;
  for (const [, place] of cursor.entries()) {
    if (place.node?.kind !== "list") continue;
    yield place.error(
      `Version ${version} does not support lists here`,
      `They are supported since ${since}; give one value`,
    );
  }
}

/** Finds the CEL expressions. */
export function* expressionsIn(
  document: Cursor,
  fields: Fields,
): Iterable<FoundExpression> {
  for (const { cursor, field: { shape } } of places(document, fields)) {
    const text = cursor.text();
    if (shape.shape !== "scalar" || shape.expression === undefined) continue;
    if (text === undefined || text === "") continue;
    yield { cursor, text, environment: shape.expression };
  }
}

/**
 * Reports whether an OS version knows a key or a kind.
 *
 * @param version The version; if absent, every described one.
 */
export function isKnown(
  { since, until }: Partial<Pick<Field, "since" | "until">>,
  version: OsVersion | undefined,
): boolean {
  if (version === undefined) return until === undefined;
  return (since === undefined || !isOlderMinor(version, since)) &&
    (until === undefined || isOlderMinor(version, until));
}

function* places(cursor: Cursor, fields: Fields): Iterable<FieldPlace> {
  for (const [key, field] of Object.entries(fields)) {
    const child = cursor.get(key);
    yield { cursor: child, field };
    yield* below(child, field.shape);
  }
}

function* below(cursor: Cursor, shape: Shape): Iterable<FieldPlace> {
  if (cursor.node === undefined) return;
  if (shape.shape === "struct") yield* places(cursor, shape.fields);
  if (shape.shape === "list" && hasParts(shape.of)) {
    for (const item of cursor.items()) yield* below(item, shape.of);
  }
  if (shape.shape === "map" && hasParts(shape.of)) {
    for (const [, value] of cursor.entries()) yield* below(value, shape.of);
  }
}

function hasParts({ shape }: Shape): boolean {
  return shape === "struct" || shape === "list" || shape === "map";
}

function isEmpty({ node, items }: Cursor): boolean {
  if (node === undefined) return true;
  if (node.kind === "scalar") return node.text === "";
  return node.kind === "list" && items().length === 0;
}
