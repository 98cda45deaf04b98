import assert from "node:assert/strict";
import {
  fleetRuns,
  statusOfRun,
  worstStatus,
} from "../../../../workflows/runbooks/fleet/fleet_runs.ts";
import { withFolder } from "../../../_folder.ts";
import { makeRun } from "../store/_runs.ts";

Deno.test("the newest wanted run of each folder is found, in the order of the folders", async () => {
  await withFolder({ "b/notes.txt": "no runs" }, async (folder) => {
    await makeRun(`${folder}/c/runs`, { id: "20261120-cccc", key: "june-c" });
    await makeRun(`${folder}/a/runs`, { id: "20261120-aaaa", key: "june-a" });
    await makeRun(`${folder}/a/runs`, {
      id: "20261121-aaaa",
      at: "2026-11-21T12:00:00.000Z",
      key: "july-a",
    });
    await makeRun(`${folder}/runs`, { id: "20261119-dddd" });
    const found = async (key: string) =>
      (await fleetRuns(folder, key)).map(({ folder, newest }) =>
        `${folder}: ${newest?.header.id ?? "none"}`
      );
    assert.deepEqual(await found(""), [
      ": 20261119-dddd",
      "a: 20261121-aaaa",
      "c: 20261120-cccc",
    ]);
    assert.deepEqual(await found("june-"), [
      ": none",
      "a: 20261120-aaaa",
      "c: 20261120-cccc",
    ]);
  });
});

Deno.test("the worst status is that of what a person has to look at first", () => {
  assert.equal(worstStatus([]), 0);
  assert.equal(worstStatus([0, 0]), 0);
  assert.equal(worstStatus([0, 3, 0]), 3);
  assert.equal(worstStatus([75, 3, 0]), 75);
  assert.equal(worstStatus([76, 75]), 76);
  assert.equal(worstStatus([8, 7, 76]), 7);
  assert.equal(worstStatus([4, 2]), 4);
  assert.equal(worstStatus([1, 4]), 1);
  assert.equal(worstStatus([1, 5, 0]), 5);
  assert.equal(worstStatus([99, 4]), 1);
});

Deno.test("a run without an end is to be called once more, one that cannot be read has failed", () => {
  assert.equal(statusOfRun("blocked", 5), 5);
  assert.equal(statusOfRun("running", null), 75);
  assert.equal(statusOfRun("interrupted", null), 75);
  assert.equal(statusOfRun("damaged", null), 1);
});
