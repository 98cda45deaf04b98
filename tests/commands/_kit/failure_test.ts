import assert from "node:assert/strict";
import { describe } from "../../../commands/_kit/failure.ts";
import {
  CancelledError,
  ConnectError,
  NodesError,
  RpcError,
} from "../../../errors.ts";

Deno.test("tell says nothing about an interrupt", () => {
  assert.deepEqual(describe(new CancelledError()), {
    lines: [],
    status: 130,
    usage: false,
  });
  assert.equal(describe(new CancelledError("SIGTERM")).status, 143);
});

Deno.test("formatFailure: connection problems shared by all nodes appear once, with the number of nodes", () => {
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
