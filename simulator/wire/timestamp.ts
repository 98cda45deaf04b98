/** Time as protobuf writes it. */

import type { Duration } from "../../transport/gen/google/protobuf/duration.ts";
import type { Timestamp } from "../../transport/gen/google/protobuf/timestamp.ts";

/**
 * Turns milliseconds since 1970 into a protobuf timestamp.
 *
 * @example
 * ```ts
 * import { timestampOf } from "./timestamp.ts";
 * timestampOf(1500); // { seconds: 1n, nanos: 500_000_000 }
 * ```
 */
export function timestampOf(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1e6);
  return { seconds: BigInt(seconds), nanos };
}

/** Turns a protobuf duration into milliseconds. */
export function millisecondsOf({ seconds, nanos }: Duration): number {
  return Number(seconds) * 1000 + nanos / 1e6;
}
