import assert from "node:assert/strict";
import { checkInvariants } from "../../../../workflows/rehearsal/invariants/all.ts";
import { evidence } from "../_evidence.ts";

Deno.test("all invariants are looked at, in order, or those that are wanted", async () => {
  const all = await checkInvariants(evidence({ shutOut: [] }));
  assert.deepEqual(all.map(({ id, state }) => `${id} ${state}`), [
    "I1 held",
    "I2 held",
    "I3 held",
    "I4 held",
    "I5 held",
    "I6 held",
    "I7 held",
    "I8 unchecked",
    "I9 held",
    "I10 held",
    "I11 held",
    "I12 held",
  ]);
  const some = await checkInvariants(evidence(), new Set(["I3"]));
  assert.deepEqual(
    some.flatMap(({ id, state }) => state === "held" ? [id] : []),
    ["I3"],
  );
});
