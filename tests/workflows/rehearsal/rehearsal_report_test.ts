import assert from "node:assert/strict";
import {
  isGood,
  rehearsalDocument,
  tally,
} from "../../../workflows/rehearsal/rehearsal_report.ts";
import { invariantIds } from "../../../workflows/rehearsal/invariants/invariant.ts";
import { clean, killed, rehearsal } from "./_rehearsals.ts";

Deno.test("there are twelve invariants, in order", () => {
  assert.equal(
    invariantIds.join(),
    "I1,I2,I3,I4,I5,I6,I7,I8,I9,I10,I11,I12",
  );
});

Deno.test("isGood wants all invariants held and no other problem", () => {
  assert.equal(isGood(clean), true);
  assert.equal(isGood({ ...killed, problems: [] }), false);
  assert.equal(isGood({ ...clean, problems: ["status 1"] }), false);
});

Deno.test("tally counts how often each invariant held, also where a run does not name it", () => {
  const counts = tally([clean, killed, { ...clean, invariants: [] }]);
  const [i1, , , i4] = counts;
  assert.deepEqual(i1, { id: "I1", held: 2, violated: 0, unchecked: 1 });
  assert.deepEqual(i4, { id: "I4", held: 1, violated: 1, unchecked: 1 });
  assert.equal(counts.length, 12);
});

Deno.test("rehearsalDocument has the counts, and no events", () => {
  const document = rehearsalDocument(rehearsal);
  assert.equal(document.good, false);
  assert.deepEqual(document.invariants, tally(rehearsal.runs));
  assert.deepEqual(document.runs.map(({ name }) => name), [
    "clean",
    "kill @ record 57",
  ]);
  assert.ok(document.runs.every((run) => !("events" in run)));
  const good = rehearsalDocument({ ...rehearsal, runs: [clean] }).good;
  assert.equal(good, true);
});
