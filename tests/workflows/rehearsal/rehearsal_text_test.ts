import assert from "node:assert/strict";
import {
  formatEnding,
  rehearsalText,
} from "../../../workflows/rehearsal/rehearsal_text.ts";
import { clean, killed, rehearsal } from "./_rehearsals.ts";

Deno.test("rehearsalText says what held, and what went wrong with which run", () => {
  assert.equal(
    rehearsalText(rehearsal),
    `rolling-upgrade rehearsed on sim:1cp+4w,v1.13.4, seed 7
2 runs, 1 not as expected; 21m46s of virtual time in 2s

Invariants
  I1   held in 2             The run never causes a loss of quorum
  I2   held in 2             The run never takes two control planes down at once
  I3   held in 2             Each node restarts at most once, or for a reason in the journal
  I4   VIOLATED in 1 of 2    Each node always has a bootable image known to be good
  I5   held in 2             The run leaves no healthy node cordoned
  I6   held in 2             At any time, some credential in the vault works for each node
  I7   not checked           There are never two etcd clusters
  I8   not checked           Nothing is destroyed without a verified copy on this machine
  I9   held in 2             Journal, events, files and terminal contain no secret
  I10  held in 2             The journal replays to the state the process reported
  I11  held in 2             The report lists each target exactly once
  I12  held in 2             Resuming a finished run changes nothing

Run kill @ record 57: partial, status 3 after 10m53s
  injected runner: kill @ record 57: 3m20s, at workers/node/body/drain at record 57
  injected node/w-3: slow 5s for 1m: 8m30s to 9m30s, on w-3
  injected etcd/cp-9: learner @ final: never triggered
  status 3 instead of 0
  I4 violated: Each node always has a bootable image known to be good
    w-3: slots A and B hold <v1.14.1> that never booted

Reproduce the first one with
osctl runbook rehearse rolling-upgrade --seed 7 --fault 'runner: kill @ record 57'
`,
  );
});

Deno.test("rehearsalText wraps invariants between words", () => {
  const lines = rehearsalText(rehearsal, 80).split("\n");
  assert.deepEqual(lines.slice(4, 9), [
    "  I1   held in 2             The run never causes a loss of quorum",
    "  I2   held in 2             The run never takes two control planes down at once",
    "  I3   held in 2             Each node restarts at most once, or for a reason in",
    "                             the journal",
    "  I4   VIOLATED in 1 of 2    Each node always has a bootable image known to be",
  ]);
});

Deno.test("rehearsalText tells how the only run ended", () => {
  const lines = rehearsalText({ ...rehearsal, runs: [clean] }).split("\n");
  assert.match(lines[1] ?? "", /^1 run, all as expected;/);
  assert.equal(lines.at(-2), "Run clean: partial, status 3 after 10m53s");
  const report = clean.report ?? assert.fail();
  const failure = { step: "go/arm", code: "refused", message: "no (S4)" };
  const failed = { ...clean, report: { ...report, failure } };
  const reported = rehearsalText({ ...rehearsal, runs: [failed] }).split("\n");
  assert.equal(reported.at(-2), "  go/arm: refused: no (S4)");
});

Deno.test("rehearsalText tells the particulars of twenty runs only", () => {
  const { again: _, ...run } = killed;
  const runs = Array.from(
    { length: 23 },
    (_, i) => ({ ...run, name: `k${i}` }),
  );
  const text = rehearsalText({ ...rehearsal, runs });
  assert.equal(text.match(/^Run k/gm)?.length, 20);
  assert.match(text, /\n\nand 3 more\n$/);
});

Deno.test("formatEnding says that a run interrupted", () => {
  const { report: _, ...broken } = clean;
  assert.equal(formatEnding(broken), "interrupted");
});

Deno.test("rehearsalText says what failed in the rescue of a run", () => {
  const report = clean.report ?? assert.fail();
  const wrong = { step: "undo/back", node: "w-1", code: "invalid" };
  const cleanup = [{
    part: "rescue" as const,
    message: "No such key",
    ...wrong,
  }];
  const run = { ...clean, report: { ...report, cleanup } };
  assert.match(
    rehearsalText({ ...rehearsal, runs: [run] }),
    /\n {2}rescue on w-1: undo, in back: No such key\n/,
  );
});
