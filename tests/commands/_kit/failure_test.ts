import assert from "node:assert/strict";
import { describe, report } from "../../../commands/_kit/failure.ts";
import {
  CancelledError,
  ConnectError,
  NodesError,
  OsctlError,
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

Deno.test("report wraps hints on a terminal, and breaks no name of a command and no command at the end", async () => {
  const printed = async (terminal: boolean) => {
    let text = "";
    const stderr = {
      terminal,
      columns: () => 60,
      write(bytes: Uint8Array) {
        text += new TextDecoder().decode(bytes);
        return Promise.resolve();
      },
    };
    const error = new OsctlError("Cannot do it", {
      hint:
        "Check it first; if something is wrong, osctl runbook status shows what",
      alternatives: [
        'Or abort this run, for good, with: osctl runbook abort 20261120-7k2f --reason "…"',
      ],
    });
    await report({ stderr }, error);
    return text;
  };
  assert.equal(
    await printed(true),
    `error: Cannot do it
hint: Check it first; if something is wrong,
      osctl runbook status shows what
hint: Or abort this run, for good, with:
      osctl runbook abort 20261120-7k2f --reason "…"
`,
  );
  assert.equal((await printed(false)).split("\n").length, 4);
});

Deno.test("formatFailure: the same failure of several nodes is one line, with their number and names", () => {
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
    "error: b, d: gone",
  ]);
  failures.set("e", wrong()).set("f", wrong());
  assert.deepEqual(describe(new NodesError(failures, 6)).lines, [
    "error: 4 nodes (a, c, e, f): Cannot trust any of them",
    "error: b, d: gone",
  ]);
});

Deno.test("formatFailure: failures that differ by the address of the node alone are one line", () => {
  const addresses = Array.from({ length: 10 }, (_, at) => `10.0.0.${at + 1}`);
  const failures = new Map(addresses.map((address) => [
    address,
    new RpcError("UNAVAILABLE", `cannot connect to ${address}:50000: refused`),
  ]));
  const names = new Map(
    addresses.map((address, at) => [address, `web-${at + 1} (${address})`]),
  );
  const found = { names, hints: [] };
  assert.deepEqual(describe(new NodesError(failures, 10), { found }).lines, [
    "error: 10 nodes (web-1, web-2, web-3, web-4, web-5, web-6, web-7, web-8 and 2 more): cannot connect to NODE:50000: refused",
  ]);
  const one = new Map([...failures].slice(0, 1));
  assert.deepEqual(describe(new NodesError(one, 1), { found }).lines, [
    "error: web-1 (10.0.0.1): cannot connect to 10.0.0.1:50000: refused",
  ]);
});
