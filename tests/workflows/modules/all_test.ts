import assert from "node:assert/strict";
import { modules } from "../../../workflows/modules/all.ts";

Deno.test("modules are found by their names", () => {
  for (const [name, module] of modules) {
    assert.equal(module.name, name);
    assert.match(name, /^[a-z0-9]+(\.[a-zA-Z]+)+$/);
  }
});
