import assert from "node:assert/strict";
import {
  CancelledError,
  ConfigError,
  ConnectError,
  exitStatus,
  NodesError,
  OsctlError,
  RefusedError,
  rootCause,
  RpcError,
  TimeoutError,
  UsageError,
} from "../errors.ts";

Deno.test("every failure has the status of the table", () => {
  const statuses: readonly (readonly [OsctlError, number])[] = [
    [new OsctlError("x"), 1],
    [new UsageError("x"), 2],
    [new ConfigError("x"), 2],
    [new RpcError("NOT_FOUND", "x"), 1],
    [new ConnectError("refused", "x"), 1],
    [new NodesError(new Map([["a", 1]]), 1), 1],
    [new NodesError(new Map([["a", 1]]), 2), 3],
    [new TimeoutError("x"), 4],
    [new RefusedError("x"), 5],
    [new CancelledError(), 130],
    [new CancelledError("SIGTERM"), 143],
  ];
  for (const [error, status] of statuses) {
    assert.equal(error.status, status, error.name);
  }
});

Deno.test("the table of exit statuses is complete", () => {
  assert.deepEqual(
    Object.values(exitStatus),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 75, 76, 130, 143],
  );
});

Deno.test("errors keep cause and hint", () => {
  const cause = new Error("deep");
  const error = new ConfigError("x", { hint: "y", cause });
  assert.equal(error.hint, "y");
  assert.equal(error.cause, cause);
  assert.equal("cause" in new ConfigError("x"), false);
});

Deno.test("an error without a class of its own is about its cause", () => {
  const lost = new ConnectError("reset", "lost");
  const wrapped = new OsctlError("a", {
    cause: new OsctlError("b", { cause: lost }),
  });
  assert.equal(rootCause(wrapped), lost);
  const refused = new RefusedError("no", { cause: lost });
  assert.equal(rootCause(refused), refused);
  const other = new OsctlError("a", { cause: new TypeError("a bug") });
  assert.equal(rootCause(other), other);
});
