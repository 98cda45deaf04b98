/** What of the matrices is tried: many cases, each of which takes long. */

import type { MatrixPart } from "../workflows/rehearsal/matrix.ts";

/** `kinds`, or `all`; absent when only some cases are tried. */
export const wanted: string | undefined = Deno.env.get("OSCTL_MATRIX");

const [number = 1, of = 1] = (Deno.env.get("OSCTL_PART") ?? "1/1")
  .split("/").map(Number);

/** The share of the cases that is tried here. */
export const part: MatrixPart = { number, of };

/** Whether a case is tried: all where nothing is asked for, those of this part in the matrices. */
export function isTried(index: number): boolean {
  return wanted !== "all" || index % of === number - 1;
}
