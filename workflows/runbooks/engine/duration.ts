import { parseDuration } from "../../../lib/duration.ts";

/** Milliseconds of a duration. `text`: Go's notation; the loader, or the type of the expression, has seen to it. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new TypeError(`"${text}" is not a duration`);
  return ms;
}
