/** Durations as nodes spell them. */

/**
 * Spells a duration: `1m0s`, `1.5s`, `250ms`.
 *
 * @param ms Milliseconds, not negative; nothing finer than microseconds is spelled.
 */
export function goDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1) return `${Math.round(ms * 1000)}µs`;
  if (ms < 1000) return `${rounded(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${rounded((ms - minutes * 60_000) / 1000)}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0
    ? `${minutes}m${seconds}`
    : `${hours}h${minutes % 60}m${seconds}`;
}

/** At most nine digits behind the point, without zeros at the end. */
function rounded(value: number): string {
  return String(Number(value.toFixed(9)));
}
