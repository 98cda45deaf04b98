import assert from "node:assert/strict";
import { describe, failureRows } from "../../../commands/_kit/failure.ts";
import {
  CancelledError,
  ConfigError,
  ConnectError,
  NodesError,
  OsctlError,
  RpcError,
  TimeoutError,
  UsageError,
} from "../../../errors.ts";

Deno.test("tell gives message, hint and the status of the table", () => {
  const cases: readonly (readonly [OsctlError, number, boolean])[] = [
    [new OsctlError("x", { hint: "y" }), 1, false],
    [new UsageError("x", { hint: "y" }), 2, true],
    [new ConfigError("x", { hint: "y" }), 2, false],
    [new TimeoutError("x", { hint: "y" }), 4, false],
    [new ConnectError("refused", "x", { hint: "y" }), 1, false],
  ];
  for (const [error, status, usage] of cases) {
    assert.deepEqual(describe(error), {
      lines: ["error: x", "hint: y"],
      status,
      usage,
    });
  }
});

Deno.test("tell says nothing about an interrupt", () => {
  assert.deepEqual(describe(new CancelledError()), {
    lines: [],
    status: 130,
    usage: false,
  });
  assert.equal(describe(new CancelledError("SIGTERM")).status, 143);
});

Deno.test("tell keeps the stack of a bug", () => {
  const { lines, status } = describe(new TypeError("x is undefined"));
  assert.match(
    lines[0] ?? "",
    /^error: This is a bug in osctl.*TypeError: x is undefined\n +at /s,
  );
  assert.equal(status, 1);
});

Deno.test("tell names every failed node and each hint once", () => {
  const cause = new ConnectError("refused", "Connection \x1b[31mrefused", {
    hint: "Run: osctl doctor connect",
  });
  const error = new NodesError(new Map([["a", cause], ["b", cause]]), 3);
  assert.deepEqual(describe(error), {
    lines: [
      "error: a, b: Connection refused",
      "hint: Run: osctl doctor connect",
    ],
    status: 3,
    usage: false,
  });
});

Deno.test("failureRows carry code and message", () => {
  const error = new NodesError(
    new Map<string, unknown>([
      ["a", new RpcError("NOT_FOUND", "no such service")],
      ["b", new ConnectError("timeout", "no answer")],
      ["c", "text"],
    ]),
    3,
  );
  assert.deepEqual(failureRows(error), [
    { node: "a", error: { code: "NOT_FOUND", message: "no such service" } },
    { node: "b", error: { code: "timeout", message: "no answer" } },
    { node: "c", error: { code: "UNKNOWN", message: "text" } },
  ]);
  assert.equal(error.status, 1);
});

Deno.test("what the system refuses about a file is no bug of osctl", async () => {
  const error = await Deno.writeTextFile("/dev/null/a", "").catch((error) =>
    error
  );
  const line =
    'Cannot write "/dev/null/a": a part of the path is a file, not a directory';
  const hint = "hint: Check that it exists, and that you may use it";
  assert.deepEqual(describe(error).lines, [`error: ${line}`, hint]);
  const nodes = new NodesError(new Map([["a", error]]), 1);
  assert.deepEqual(describe(nodes).lines, [`error: a: ${line}`, hint]);
});

Deno.test("what is wrong with the connections to all nodes is said once, with their number", () => {
  const wrong = () => new ConnectError("wrong-ca", "Cannot trust any of them");
  const own = new RpcError("UNAVAILABLE", "gone");
  const failures = new Map<string, unknown>([
    ["a", wrong()],
    ["b", own],
    ["c", wrong()],
    ["d", own],
  ]);
  assert.deepEqual(describe(new NodesError(failures, 4)).lines, [
    "error: a, c: Cannot trust any of them",
    "error: b: gone",
    "error: d: gone",
  ]);
  failures.set("e", wrong()).set("f", wrong());
  assert.deepEqual(describe(new NodesError(failures, 6)).lines, [
    "error: 4 nodes: Cannot trust any of them",
    "error: b: gone",
    "error: d: gone",
  ]);
});
