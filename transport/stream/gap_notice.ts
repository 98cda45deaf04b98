/** Tells where something may be missing. */

import type { Gap } from "./follow.ts";

/**
 * Writes a gap in what a node sent as one line.
 *
 * @param node Node the gap is in.
 * @param gap What happened, and when.
 */
export function gapLine(node: string, { reason, since, at }: Gap): string {
  const [from, to] = [since, at].map((time) => time.toISOString());
  return `--- ${node}: ${reason}, gap from ${from} to ${to} ---`;
}
