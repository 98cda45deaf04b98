import assert from "node:assert/strict";
import {
  bytesOf,
  processors,
  size,
} from "../../../../commands/cluster/_qemu/inputs.ts";

Deno.test("bytesOf reads sizes with decimal and binary units, and MiB without one", () => {
  const sizes = ["10GB", "10GiB", "1.5g", "2048", "512 mb", "0", "GB", "-1GB"]
    .map(bytesOf);
  assert.deepEqual(sizes, [
    10_000_000_000,
    10_737_418_240,
    1_500_000_000,
    2_147_483_648,
    512_000_000,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("processors and size are flags with values in billionths and bytes", () => {
  assert.equal(processors("").parse("0.5", undefined), 500_000_000);
  assert.throws(() => processors("").parse("0", undefined));
  assert.equal(size("").parse("3GB", undefined), 3_000_000_000);
  assert.deepEqual([processors("").initial, size("").initial], [2e9, 2 ** 31]);
});
