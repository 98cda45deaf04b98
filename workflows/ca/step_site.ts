/** The room of a step, for operations that only work within a run. */

import type { Site } from "../operations/operation.ts";
import type { StepSite } from "../runbooks/module.ts";

/**
 * A site with its room.
 *
 * @throws {TypeError} Outside of a run, which is a bug: such operations are no commands.
 */
export function stepSite(site: Site): StepSite {
  if ("room" in site) return site as StepSite; // who gives a room gives a whole one
  throw new TypeError("This operation needs the room of a run");
}
