import assert from "node:assert/strict";
import { fullInputs } from "../../../../commands/cluster/_qemu/inputs.ts";

Deno.test("shares of packets are numbers from 0 to 1", () => {
  const { parse, initial } = fullInputs.withNetworkPacketLoss;
  assert.equal(initial, 0);
  assert.equal(parse("0.05", undefined), 0.05);
  for (const wrong of ["1.5", "5%", ""]) {
    assert.throws(() => parse(wrong, undefined), {
      message: "must be a number from 0 to 1",
    });
  }
});
