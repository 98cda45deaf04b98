/** Spans of time for people. */

/**
 * Writes a span in whole seconds: `1h2m3s`, `45s`, `0s`; less than a second as `0.4s`.
 *
 * @param ms Milliseconds; negative ones count as none, since clocks are set.
 */
export function spanText(ms: number): string {
  if (ms > 0 && ms < 1_000) return `${Math.ceil(ms / 100) / 10}s`;
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}s`;
  const hours = Math.floor(minutes / 60);
  const short = `${minutes % 60}m${seconds % 60}s`;
  return hours === 0 ? short : `${hours}h${short}`;
}

/**
 * Writes the span between two instants.
 *
 * @param from ISO 8601.
 * @param to ISO 8601.
 */
export function between(from: string, to: string): string {
  return spanText(Date.parse(to) - Date.parse(from));
}
