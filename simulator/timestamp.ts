/** Time as protobuf writes it. */

import type { Timestamp } from "../transport/gen/google/protobuf/timestamp.ts";

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
