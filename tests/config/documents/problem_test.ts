import assert from "node:assert/strict";
import { inOneLine, pathText } from "../../../config/documents/problem.ts";

Deno.test("pathText joins keys and indices, odd keys in quotes", () => {
  assert.equal(
    pathText(["machine", "network", "interfaces", 0, "mtu"]),
    "machine.network.interfaces[0].mtu",
  );
  assert.equal(
    pathText(["machine", "nodeLabels", "a.b/c d"]),
    'machine.nodeLabels."a.b/c d"',
  );
  assert.equal(pathText([]), "");
});

Deno.test("inOneLine leaves out the middle of very long texts", () => {
  assert.equal(inOneLine("a".repeat(1000)), "a".repeat(1000));
  const long = `${"a".repeat(5000)}${"b".repeat(5000)}`;
  assert.equal(inOneLine(long), `${"a".repeat(500)}…${"b".repeat(250)}`);
});

Deno.test("inOneLine makes spaces of control characters", () => {
  assert.equal(inOneLine("a\r\n\tb\x1b[0m\x9b"), "a b [0m ");
});
