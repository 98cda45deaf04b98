import assert from "node:assert/strict";
import { bond } from "../../../../config/documents/v1alpha1/network_bond.ts";

Deno.test("bonds of interfaces take the words and numbers of BondConfig", () => {
  const { lacpRate, miimon, mode } = bond.fields;
  assert.equal(mode?.initial, "balance-rr");
  assert.equal(mode.always, true);
  assert.equal(lacpRate?.shape.shape, "scalar");
  assert.deepEqual(lacpRate.shape.values, ["slow", "fast"]);
  assert.equal(lacpRate.initial, "slow");
  assert.deepEqual(
    [miimon?.summary, miimon?.optional, miimon?.initial],
    ["MII link monitoring interval, in milliseconds", undefined, undefined],
  );
});
