/** What the description of a value says about merging it. */

import { fieldAt } from "../documents/shapes.ts";
import type { Field, Fields, Shape } from "../documents/schema.ts";

/** How one value is merged. */
export interface Rule extends Pick<Field, "shape" | "optional" | "merge"> {
  /** True for a value under a key of the user's choice, where null is a value too. */
  readonly inMap?: true;
}

/** Rule of a value nothing is known about. */
export const freeRule: Rule = { shape: { shape: "free" }, inMap: true };

/** Rules of the keys of a mapping; `fields` is `undefined` when none are known. */
export function findRules(fields: Fields | undefined): (key: string) => Rule {
  return (key) => (fields && fieldAt(fields, key)) ?? freeRule;
}

/** Rules of the keys of a mapping of a shape. */
export function rulesIn(shape: Shape): (key: string) => Rule {
  if (shape.shape === "struct") return findRules(shape.fields);
  if (shape.shape !== "map") return findRules(undefined);
  // Values of one flag belong together.
  const merge = shape.of.shape === "list" && shape.of.loneUntil !== undefined
    ? { merge: "replace" } as const
    : {};
  return () => ({ shape: shape.of, inMap: true, ...merge });
}
