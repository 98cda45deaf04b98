import { formatDuration } from "../../../lib/duration.ts";

/**
 * Formats a duration in whole seconds: `1h2m3s`, `45s`, `0s`; below a second in tenths: `400ms`.
 *
 * @param ms Milliseconds; negative values, from a clock that was set, count as 0.
 */
export function spanText(ms: number): string {
  const step = ms < 1_000 ? 100 : 1_000;
  return formatDuration(Math.max(0, Math.floor(ms / step)) * step);
}

/** Formats the duration between two instants. `from`: ISO 8601. `to`: ISO 8601. */
export function between(from: string, to: string): string {
  return spanText(Date.parse(to) - Date.parse(from));
}
