import {
  type ConnectCause,
  ConnectError,
  type RpcCode,
  RpcError,
} from "../../errors.ts";

/**
 * What a failure says about the next attempt.
 *
 * - `away`: the node could not be reached or the connection broke; it may come back.
 * - `refused`: the node answered, but not with what was asked for; it may still be starting.
 * - `final`: the answer will be the same next time.
 */
export type FailureKind = "away" | "refused" | "final";

// With INTERNAL the node itself answers, see `statusError`; with DATA_LOSS the answer cannot be read.
const away: ReadonlySet<RpcCode> = new Set([
  "UNAVAILABLE",
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "DATA_LOSS",
]);

const final: ReadonlySet<RpcCode> = new Set([
  "PERMISSION_DENIED",
  "UNAUTHENTICATED",
  "NOT_FOUND",
  "INVALID_ARGUMENT",
  "UNIMPLEMENTED",
  "ALREADY_EXISTS",
]);

// A node that boots has no clock yet and may show a certificate of the wrong time.
const passing: ReadonlySet<ConnectCause> = new Set([
  "dns",
  "proxy",
  "refused",
  "unreachable",
  "timeout",
  "reset",
  "lost",
  "not-tls",
  "server-expired",
  "server-not-yet-valid",
  "unknown",
]);

/** Judges a failure. `error`: what was thrown; what is no `RpcError` or `ConnectError` is final. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof ConnectError) {
    return passing.has(error.reason) ? "away" : "final";
  }
  if (!(error instanceof RpcError) || final.has(error.code)) return "final";
  return away.has(error.code) ? "away" : "refused";
}
