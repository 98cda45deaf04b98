import assert from "node:assert/strict";
import {
  ConfigError,
  type ConnectCause,
  ConnectError,
  type RpcCode,
  RpcError,
} from "../../../errors.ts";
import {
  type FailureKind,
  failureKind,
} from "../../../transport/call/retryable.ts";

Deno.test("failureKind tells broken connections, refusals and final answers apart", () => {
  const codes: Record<FailureKind, RpcCode[]> = {
    away: ["UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED", "DATA_LOSS"],
    refused: [
      "UNKNOWN",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "INTERNAL",
    ],
    final: [
      "PERMISSION_DENIED",
      "UNAUTHENTICATED",
      "NOT_FOUND",
      "INVALID_ARGUMENT",
      "UNIMPLEMENTED",
      "ALREADY_EXISTS",
    ],
  };
  for (const [expected, names] of Object.entries(codes)) {
    for (const code of names) {
      assert.equal(failureKind(new RpcError(code, "x")), expected, code);
    }
  }
});

Deno.test("failureKind waits for a node whose connection or clock is not there yet", () => {
  const causes: [ConnectCause, FailureKind][] = [
    ["refused", "away"],
    ["timeout", "away"],
    ["lost", "away"],
    ["server-not-yet-valid", "away"],
    ["wrong-ca", "final"],
    ["client-expired", "final"],
    ["maintenance", "final"],
    ["fingerprint", "final"],
  ];
  for (const [cause, expected] of causes) {
    assert.equal(failureKind(new ConnectError(cause, "x")), expected, cause);
  }
});

Deno.test("failureKind takes everything else as final", () => {
  assert.equal(failureKind(new ConfigError("x")), "final");
  assert.equal(failureKind(new TypeError("x")), "final");
  assert.equal(failureKind(undefined), "final");
});
