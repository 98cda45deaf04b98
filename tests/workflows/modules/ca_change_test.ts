import assert from "node:assert/strict";
import { accept, drop, issue } from "../../../workflows/modules/ca_change.ts";

Deno.test("what stands under with becomes the input of the operation, without secrets", () => {
  const ca = { secret: "ca.os", fingerprint: "ab" };
  const cases = [
    [accept, { kind: "talos", ca }, { kind: "os", ca: "ca.os", which: null }],
    [issue, { kind: "kubernetes", ca, keepAccepted: "old" }, {
      kind: "kubernetes",
      ca: "ca.os",
      which: null,
    }],
    [drop, { kind: "os", which: "new" }, {
      kind: "os",
      ca: null,
      which: "new",
    }],
  ] as const;
  for (const [module, values, input] of cases) {
    assert.ok(module.kind === "change");
    assert.deepEqual(module.inputOf(values), input);
    assert.equal(module.operation.effect, "write");
    assert.equal(module.operation.idempotency, "converge");
    assert.equal(module.operation.quorum(input), "none");
    assert.equal(module.name, module.operation.name);
  }
});
