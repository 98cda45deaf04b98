/** Switches. */

import { boolean } from "../scalars/scalars.ts";
import type { Field } from "../schema.ts";

/**
 * A switch for which a written `false` is not the same as nothing.
 *
 * @param summary What is so when it is true.
 * @param initial What counts when it is absent.
 */
export function flag(
  summary: string,
  initial: "true" | "false" = "false",
): Field {
  return { shape: boolean, optional: true, summary, initial };
}
