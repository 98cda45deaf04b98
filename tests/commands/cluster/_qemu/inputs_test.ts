import assert from "node:assert/strict";
import { processors, size } from "../../../../commands/cluster/_qemu/inputs.ts";

Deno.test("processors and size are flags with values in billionths and bytes", () => {
  assert.equal(processors("").parse("0.5", undefined), 500_000_000);
  assert.throws(() => processors("").parse("0", undefined));
  assert.equal(size("").parse("3GB", undefined), 3_000_000_000);
  assert.deepEqual([processors("").initial, size("").initial], [2e9, 2 ** 31]);
});
