import assert from "node:assert/strict";
import {
  recordDecisions,
  type ResumeDecisions,
  undecided,
} from "../../../../workflows/runbooks/run/resume_decisions.ts";
import { OsctlError } from "../../../../errors.ts";
import { openRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { makeRun } from "../store/_runs.ts";

const now = () => new Date("2026-11-20T20:00:00Z");

/** Takes a run up, and gives the records this has written. */
async function take(flags: Partial<ResumeDecisions>) {
  const records: unknown[] = [];
  await withFolder({}, async (runs) => {
    await makeRun(runs);
    using run = await openRun(runs, "20261120-7k2f", now);
    const { append } = run.journal;
    const journal: typeof run.journal = {
      ...run.journal,
      append(record) {
        records.push(record);
        return append(record);
      },
    };
    const all = { ...undecided, ...flags };
    const inputs = await recordDecisions(
      { ...run, journal },
      all,
      "eve@desk",
      () => Promise.resolve({}),
    );
    assert.deepEqual(inputs, {});
  });
  return records;
}

Deno.test("recordDecisions refuses what there is not, and what needs a reason", async () => {
  const wrong: Partial<ResumeDecisions>[] = [
    { skip: ["snapshot"] },
    { dropNode: ["w-1"] },
    { skip: ["nope"], reason: "x" },
    { redo: ["drain"] },
    { skip: ["go"], reason: "x" },
    { resolve: ["planes/wipe=done"] },
    { resolve: ["snapshot"] },
    { resolve: ["snapshot=perhaps"] },
    { dropNode: ["w-9"], reason: "x" },
  ];
  for (const flags of wrong) {
    await assert.rejects(
      take(flags),
      (error) => error instanceof OsctlError && error.status === 2,
      JSON.stringify(flags),
    );
  }
});
