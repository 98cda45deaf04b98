import assert from "node:assert/strict";
import { environments } from "../../../config/document_cel/environments.ts";

Deno.test("the pressure of memory is measured in 8 ways, each with its change", () => {
  const names = [...environments["oom-trigger"].names.keys()];
  assert.equal(
    names.filter((name) => /^(d_)?memory_/.test(name)).length,
    16,
  );
  assert.equal(names.filter((name) => /^(d_)?qos_/.test(name)).length, 22);
});
