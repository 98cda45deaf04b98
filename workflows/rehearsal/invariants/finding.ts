/** What is found about an invariant. */

import type { InvariantId, InvariantResult } from "../rehearsal_report.ts";

/** What is found, without its id. */
export type Found = Omit<InvariantResult, "id">;

/** There was nothing it speaks of. */
export const unchecked: Found = { state: "unchecked", evidence: [] };

/**
 * Makes a finding of what is wrong.
 *
 * @param wrong What was seen, one line each; each once is enough.
 */
export function foundFrom(wrong: Iterable<string>): Found {
  const evidence = [...new Set(wrong)];
  return { state: evidence.length === 0 ? "held" : "violated", evidence };
}

/** Adds the id. */
export function resultOf(id: InvariantId, found: Found): InvariantResult {
  return { id, ...found };
}
