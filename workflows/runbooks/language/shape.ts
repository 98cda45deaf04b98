/** Schema of runbooks, the source of validation, the JSON Schema and the reference. */

import type { JsonSchema } from "../../../config/documents/schema.ts";
import type { ScalarNode } from "../../../config/tree/node.ts";

/** A value without parts. */
export interface LanguageScalar {
  readonly shape: "scalar";
  /** Valid values, for messages: `a duration such as 90s or 1h30m`. */
  readonly expected: string;
  readonly json: JsonSchema;
  /** Valid words, if there is a fixed set. */
  readonly words?: readonly string[];
  /** Error of a non-null scalar, upper case first; `undefined` when it is valid. */
  readonly fault: (node: ScalarNode) => string | undefined;
}

/** A sequence. */
export interface LanguageList {
  readonly shape: "list";
  readonly of: LanguageShape;
  /** True when it must not be empty. */
  readonly filled?: true;
  /** True when a single element needs no brackets. */
  readonly alone?: true;
}

interface LanguageMap {
  readonly shape: "map";
  /** Valid keys. */
  readonly keys: LanguageScalar;
  readonly of: LanguageShape;
}

/** A mapping with known keys. */
export interface LanguageStruct {
  readonly shape: "struct";
  /** Name in messages and in the JSON Schema: `step`. */
  readonly name: string;
  readonly keys: Keys;
  /** Keys of which exactly one is required, each with its own additional keys. */
  readonly verbs?: Readonly<Record<string, Keys>>;
  /** Scalar allowed instead of a mapping. */
  readonly short?: LanguageScalar;
}

/** Any value; strings may hold `${{ expression }}`. */
interface LanguageFree {
  readonly shape: "free";
}

/** Shape of a value. */
export type LanguageShape =
  | LanguageScalar
  | LanguageList
  | LanguageMap
  | LanguageStruct
  | LanguageFree;

/** One key. */
export interface Key {
  readonly shape: LanguageShape;
  /** One short sentence without a period. */
  readonly summary: string;
  readonly required?: true;
  /** Default value, as text. */
  readonly initial?: string;
}

/** Keys in the order of the reference. */
export type Keys = Readonly<Record<string, Key>>;

/** A mapping with known keys. */
export function struct(
  name: string,
  keys: Keys,
  more: Pick<LanguageStruct, "verbs" | "short"> = {},
): LanguageStruct {
  return { shape: "struct", name, keys, ...more };
}

/** A mapping with keys of the user's choice. */
export function mapOf(keys: LanguageScalar, of: LanguageShape): LanguageMap {
  return { shape: "map", keys, of };
}

/** A sequence. */
export function listOf(
  of: LanguageShape,
  more: Pick<LanguageList, "filled" | "alone"> = {},
): LanguageList {
  return { shape: "list", of, ...more };
}

/** Any value. */
export const free: LanguageFree = { shape: "free" };
