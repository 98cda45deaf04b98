/** How long a new certificate is valid. */

import { type Flag, integer } from "../_kit/mod.ts";

/**
 * Makes `--hours`.
 *
 * @param initial Default.
 */
export function hoursFlag(initial: number): Flag<number> {
  return integer("hours from now until the certificate ends", {
    initial,
    least: 1,
  });
}

/** When a certificate ends. */
export function endOf(now: Date, hours: number): Date {
  return new Date(now.getTime() + hours * 60 * 60 * 1000);
}
