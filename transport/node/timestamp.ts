/** Timestamps of the node API. */

/** `google.protobuf.Timestamp`. */
export interface WireTime {
  /** Seconds since 1970, UTC. */
  readonly seconds: bigint;
  /** Nanoseconds after that, 0 to 999,999,999. */
  readonly nanos: number;
}

/** Last second of the year 9999. */
const latest = 253_402_300_799n;
/** First second of the year 1. */
const earliest = -62_135_596_800n;

/**
 * Formats a timestamp in ISO 8601.
 *
 * @param time Timestamp of the node, if any.
 * @returns UTC, such as `2026-01-02T03:04:05.25Z`, a fraction only when it is not 0; empty when there is
 * no time, or one outside the years 1 to 9999.
 */
export function isoTime(time: WireTime | undefined): string {
  if (time === undefined) return "";
  const { seconds, nanos } = time;
  if (seconds < earliest || seconds > latest) return "";
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (nanos <= 0 || nanos > 999_999_999) return `${whole}Z`;
  const fraction = String(nanos).padStart(9, "0").replace(/0+$/, "");
  return `${whole}.${fraction}Z`;
}
