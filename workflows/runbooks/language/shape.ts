/** How the keys of a runbook are described: checking, the JSON Schema and the reference follow from it. */

import type { JsonSchema } from "../../../config/documents/schema.ts";
import type { ScalarNode } from "../../../config/tree/node.ts";

/** A value without parts. */
export interface LanguageScalar {
  readonly shape: "scalar";
  /** What would be right, for messages: `a duration such as 90s or 1h30m`. */
  readonly expected: string;
  readonly json: JsonSchema;
  /** Words that are right, when there is a fixed set. */
  readonly words?: readonly string[];
  /** What is wrong with a scalar that is not null, upper case first; `undefined` when it is right. */
  readonly fault: (node: ScalarNode) => string | undefined;
}

/** A sequence. */
export interface LanguageList {
  readonly shape: "list";
  readonly of: LanguageShape;
  /** True when it must not be empty. */
  readonly filled?: true;
  /** True when one element may stand there without brackets. */
  readonly alone?: true;
}

interface LanguageMap {
  readonly shape: "map";
  /** What keys may be. */
  readonly keys: LanguageScalar;
  readonly of: LanguageShape;
}

/** A mapping with known keys. */
export interface LanguageStruct {
  readonly shape: "struct";
  /** What it is, for messages and as name in the JSON Schema: `step`. */
  readonly name: string;
  readonly keys: Keys;
  /** Keys of which exactly one is there, each with the keys that only go with it. */
  readonly verbs?: Readonly<Record<string, Keys>>;
  /** What may stand there instead of a mapping. */
  readonly short?: LanguageScalar;
}

/** Any value; its strings may hold `${{ expression }}`. */
interface LanguageFree {
  readonly shape: "free";
}

/** What a value may be. */
export type LanguageShape =
  | LanguageScalar
  | LanguageList
  | LanguageMap
  | LanguageStruct
  | LanguageFree;

/** One key. */
export interface Key {
  readonly shape: LanguageShape;
  /** What it means, one short sentence without a period. */
  readonly summary: string;
  readonly required?: true;
  /** What counts when it is absent, as text. */
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
