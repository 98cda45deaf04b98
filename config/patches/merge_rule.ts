/** Merge rules from the description of a value. */

import { fieldAt } from "../documents/shapes.ts";
import type { Field, Fields, Shape } from "../documents/schema.ts";

/** Merge rule of one value. */
export interface Rule extends Pick<Field, "shape" | "optional" | "merge"> {
  /** True for a value under a user-defined key, where null is a value too. */
  readonly inMap?: true;
}

/** Rule of an undescribed value. */
export const freeRule: Rule = { shape: { shape: "free" }, inMap: true };

/** Rules of the keys of a mapping; `fields` is `undefined` for unknown keys. */
export function findRules(fields: Fields | undefined): (key: string) => Rule {
  return (key) => (fields && fieldAt(fields, key)) ?? freeRule;
}

/** Rules of the keys of a mapping shape. */
export function rulesIn(shape: Shape): (key: string) => Rule {
  if (shape.shape === "struct") return findRules(shape.fields);
  if (shape.shape !== "map") return findRules(undefined);
  // Values of one flag belong together.
  const merge = shape.of.shape === "list" && shape.of.loneUntil !== undefined
    ? { merge: "replace" } as const
    : {};
  return () => ({ shape: shape.of, inMap: true, ...merge });
}
