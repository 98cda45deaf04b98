/** Merge patches (RFC 7396). */

import { type Fields, fieldsOf } from "./objects.ts";

/**
 * Applies a merge patch.
 *
 * @param target Fields as they are.
 * @param patch Fields that replace them; `null` removes one.
 */
export function mergePatch(target: Fields, patch: Fields): Fields {
  const merged: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = replaced(merged[name], value);
  }
  return merged;
}

function replaced(before: unknown, value: unknown): unknown {
  const isMap = typeof value === "object" && !Array.isArray(value);
  return isMap ? mergePatch(fieldsOf(before), fieldsOf(value)) : value;
}
