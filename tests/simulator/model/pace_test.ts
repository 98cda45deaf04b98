import assert from "node:assert/strict";
import { paceOf } from "../../../simulator/model/pace.ts";

Deno.test("without a seed all nodes have one pace, and what is said of it counts", () => {
  const pace = paceOf({ pace: { bootMs: 5 } });
  assert.deepEqual(pace(0), {
    bootMs: 5,
    stopMs: 2_000,
    downMs: 4_000,
    installMs: 6_000,
    panicMs: 2_000,
  });
  assert.deepEqual(pace(1), pace(0));
});

Deno.test("with a seed paces are from half to twice as long, and follow from it", () => {
  const boots = (seed: number) =>
    Array.from({ length: 50 }, (_, index) => paceOf({ seed })(index).bootMs);
  assert.deepEqual(boots(1), boots(1));
  assert.notDeepEqual(boots(1), boots(2));
  assert.ok(Math.min(...boots(1)) >= 4_000);
  assert.ok(Math.max(...boots(1)) <= 16_000);
  assert.ok(Math.max(...boots(1)) - Math.min(...boots(1)) > 8_000);
});
