import {
  type ConnectCause,
  ConnectError,
  type RpcCode,
  RpcError,
} from "../../errors.ts";

/**
 * Kind of a failure, for retries.
 *
 * - `away`: the node is unreachable or the connection was lost; it may recover.
 * - `refused`: the node answered with an error; it may still be starting.
 * - `final`: a retry will not help.
 */
export type FailureKind = "away" | "refused" | "final";

// INTERNAL is an answer of the node itself, see `statusError`; DATA_LOSS is an unreadable answer.
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

// A booting node may not have synced its clock, and present a certificate with wrong dates.
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

/** Classifies an error; anything but an `RpcError` or `ConnectError` is final. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof ConnectError) {
    return passing.has(error.reason) ? "away" : "final";
  }
  if (!(error instanceof RpcError) || final.has(error.code)) return "final";
  return away.has(error.code) ? "away" : "refused";
}
