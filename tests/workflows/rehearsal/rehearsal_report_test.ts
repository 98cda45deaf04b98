import assert from "node:assert/strict";
import { tally } from "../../../workflows/rehearsal/rehearsal_report.ts";
import { invariantIds } from "../../../workflows/rehearsal/invariants/invariant.ts";
import { clean, killed } from "./_rehearsals.ts";

Deno.test("there are twelve invariants, in order", () => {
  assert.equal(
    invariantIds.join(),
    "I1,I2,I3,I4,I5,I6,I7,I8,I9,I10,I11,I12",
  );
});

Deno.test("tally counts how often each invariant held, also where a run does not name it", () => {
  const counts = tally([clean, killed, { ...clean, invariants: [] }]);
  const [i1, , , i4] = counts;
  assert.deepEqual(i1, { id: "I1", held: 2, violated: 0, unchecked: 1 });
  assert.deepEqual(i4, { id: "I4", held: 1, violated: 1, unchecked: 1 });
  assert.equal(counts.length, 12);
});
