import { formatDuration } from "../../../lib/duration.ts";

/**
 * Writes a span in whole seconds: `1h2m3s`, `45s`, `0s`; less than a second in tenths: `400ms`.
 *
 * @param ms Milliseconds; negative ones count as none, since clocks are set.
 */
export function spanText(ms: number): string {
  const step = ms < 1_000 ? 100 : 1_000;
  return formatDuration(Math.max(0, Math.floor(ms / step)) * step);
}

/** Writes the span between two instants. `from`: ISO 8601. `to`: ISO 8601. */
export function between(from: string, to: string): string {
  return spanText(Date.parse(to) - Date.parse(from));
}
