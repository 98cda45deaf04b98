import assert from "node:assert/strict";
import { pathText } from "../../../config/documents/problem.ts";

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
