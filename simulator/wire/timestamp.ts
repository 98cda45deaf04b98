import type { Duration } from "../../transport/gen/google/protobuf/duration.ts";
import type { Timestamp } from "../../transport/gen/google/protobuf/timestamp.ts";

/**
 * Turns milliseconds since 1970 into a protobuf timestamp.
 *
 * @example
 * ```ts
 * import { toTimestamp } from "./timestamp.ts";
 * toTimestamp(1500); // { seconds: 1n, nanos: 500_000_000 }
 * ```
 */
export function toTimestamp(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1e6);
  return { seconds: BigInt(seconds), nanos };
}

/** Turns a protobuf duration into milliseconds. */
export function toMilliseconds({ seconds, nanos }: Duration): number {
  return Number(seconds) * 1000 + nanos / 1e6;
}

/**
 * Formats a duration: `1m0s`, `1.5s`, `250ms`.
 *
 * @param ms Milliseconds, not negative; precision is microseconds.
 */
export function goDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1) return `${Math.round(ms * 1000)}µs`;
  if (ms < 1000) return `${roundSeconds(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${roundSeconds((ms - minutes * 60_000) / 1000)}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0
    ? `${minutes}m${seconds}`
    : `${hours}h${minutes % 60}m${seconds}`;
}

/** Formats with at most nine decimals, without trailing zeros. */
function roundSeconds(value: number): string {
  return String(Number(value.toFixed(9)));
}
