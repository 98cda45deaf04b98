/** `machine.registries`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isGiven } from "./texts.ts";

/** What stands under the name of a registry says something. */
export function* registryRules(root: Cursor): Iterable<Problem> {
  for (const part of ["mirrors", "config"]) {
    const registries = root.get("machine", "registries", part).entries();
    for (const [host, place] of registries) {
      if (isGiven(place)) continue;
      yield place.error(
        `Registry "${host}" has nothing under machine.registries.${part}`,
        "Fill it in, or remove it",
      );
    }
  }
}
