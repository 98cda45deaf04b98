import { parseDuration } from "../../../lib/duration.ts";

/** Parses a duration to milliseconds. `text`: Go's notation, validated by the loader or the expression type. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new TypeError(`"${text}" is not a duration`);
  return ms;
}
