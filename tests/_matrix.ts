/** The part of the matrices that is run: many cases, each of which takes long. */

import type { MatrixPart } from "../workflows/rehearsal/matrix.ts";
import { type Need, optional } from "./_needs.ts";

/** `kinds`, or `all`; absent when only some cases are tried. */
export const wanted: string | undefined = Deno.env.get("OSCTL_MATRIX");

const why = "a matrix is run beside the tests";

/** A matrix that is asked for. */
export function matrix(kind: "kinds" | "all" | "chaos"): Need {
  return optional(`OSCTL_MATRIX=${kind}`, why, () => wanted === kind);
}

/** Some cases, where the matrix that has all of them is not asked for. */
export function unless(kind: "kinds" | "all"): Need {
  const name = `no OSCTL_MATRIX=${kind}`;
  return optional(name, why, () => wanted !== kind);
}

/** Some cases, where no matrix is asked for. */
export const withoutMatrix: Need = optional(
  "no OSCTL_MATRIX",
  why,
  () => wanted === undefined,
);

/** The share of the cases that is asked for. */
export function share(isIn: boolean): Need {
  return optional("another OSCTL_PART", why, () => isIn);
}

const [number = 1, of = 1] = (Deno.env.get("OSCTL_PART") ?? "1/1")
  .split("/").map(Number);

/** The share of the cases that is tried here. */
export const part: MatrixPart = { number, of };

export function isTried(index: number): boolean {
  return wanted !== "all" || index % of === number - 1;
}
