import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { newDisk } from "../../../workflows/rehearsal/model_disk.ts";
import { parseFault } from "../../../workflows/rehearsal/faults/parse_fault.ts";
import {
  rehearse,
  type Testbed,
} from "../../../workflows/rehearsal/rehearse.ts";
import type { RunState } from "../../../workflows/runbooks/event.ts";
import { withFolder } from "../../_folder.ts";
import { cluster, overriding, report } from "./_evidence.ts";

/** Ends of the processes of a stage, in order; the last one repeats. */
type Ends = readonly (RunState | "broken" | "hangs")[];

/** A stage whose processes write three records, a minute apart, and end as told. */
function fakeTestbed(ends: Ends, more: Partial<Testbed> = {}) {
  const clock = virtualClock({ patienceMs: 1 });
  const calls: { carriedOut: boolean }[] = [];
  let count = 0;
  const stage: Testbed = {
    runbook: overriding(),
    clock,
    observe: () =>
      cluster({
        at: clock.now(),
        calls: calls.map((call) => ({
          ...call,
          node: "w-1",
          method: "Reboot",
          mutating: true,
        })),
      }),
    findName: (node) => node,
    strike: () => Promise.resolve(() => Promise.resolve()),
    async runProcess(process, disk, { through, emit }) {
      const how = ends[Math.min(count++, ends.length - 1)]!;
      const { journal, history } = await disk.open(
        (store) => process.store(through(store)),
        () => new Date(process.clock.now()),
      );
      emit({ type: "run.started", data: { runbook: "r" } });
      for (const at of [1, 2, 3]) {
        if (history.decisions.size >= at) continue;
        await journal.append({
          type: "decide",
          path: `${at}`,
          data: { value: at },
        });
        calls.push({ carriedOut: true });
        await process.clock.sleep(60_000);
      }
      if (how === "broken") throw new OsctlError("No node answers");
      if (how === "hangs") await process.clock.sleep(Infinity);
      return report({ state: how as RunState });
    },
    ...more,
  };
  return { stage, processes: () => count, clock };
}

async function runRehearsal(
  given: ReturnType<typeof fakeTestbed>,
  faults: readonly string[] = [],
  resumes = 0,
) {
  return await withDisk((disk) =>
    rehearse(given.stage, faults.map(parseFault), disk, resumes)
  );
}

async function withDisk<T>(
  test: (disk: Awaited<ReturnType<typeof newDisk>>) => Promise<T>,
): Promise<T> {
  let found: T | undefined;
  await withFolder({}, async (folder) => {
    found = await test(await newDisk(folder));
  });
  return found!; // the test has run
}

Deno.test("a run ends with its first process when it is not killed, and another one changes nothing", async () => {
  const given = fakeTestbed(["succeeded"]);
  const found = await runRehearsal(given);
  assert.equal(found.report?.state, "succeeded");
  assert.equal(found.virtualMs, 180_000);
  assert.equal(found.records.length, 3);
  assert.deepEqual(found.events.map(({ type }) => type), ["run.started"]);
  assert.deepEqual(found.callsAfterEnd, []);
  assert.deepEqual(found.problems, []);
  assert.equal(given.processes(), 2);
});

Deno.test("a process that is killed is followed by another after the outage, on the same disk", async () => {
  const given = fakeTestbed(["succeeded"]);
  const found = await runRehearsal(given, [
    "runner: kill @ record 1 for 5m",
    "runner: kill-before @ record 3",
  ]);
  assert.equal(found.report?.state, "succeeded");
  assert.equal(found.between.length, 2);
  assert.equal(found.records.length, 3);
  assert.equal(found.events.length, 3);
  // The first one died before it waited.
  assert.equal(found.virtualMs, 300_000 + 60_000 + 60_000);
  assert.equal(found.injected.length, 2);
});

Deno.test("a disk that has room again lets the run continue", async () => {
  const full = "disk: disk-full @ record 2 for 10m";
  const found = await runRehearsal(fakeTestbed(["succeeded"]), [full]);
  assert.equal(found.report?.state, "succeeded");
  assert.deepEqual(found.problems, []);
  const never = await runRehearsal(fakeTestbed(["succeeded"]), [
    "disk: read-only",
  ]);
  assert.match(never.problems[0]!, /^interrupted: Cannot write the journal/);
});

Deno.test("bugs of a process are raised", async () => {
  const given = fakeTestbed(["succeeded"], {
    runProcess: () => Promise.reject(new TypeError("a bug")),
  });
  await assert.rejects(runRehearsal(given), { message: "a bug" });
});

Deno.test("every record is checked for nodes that nothing opens, and what is sent behind the end is counted", async () => {
  let looks = 0;
  const given = fakeTestbed(["succeeded"], {
    shutOut: () => Promise.resolve(++looks === 2 ? ["nothing opens w-1"] : []),
  });
  const found = await runRehearsal(given);
  assert.deepEqual(found.shutOut, ["at record 2: nothing opens w-1"]);
  const forgetful = fakeTestbed(["succeeded"]);
  const { runProcess } = forgetful.stage;
  const stage: Testbed = {
    ...forgetful.stage,
    // Nothing was ever written down for it.
    runProcess: (process, disk, parts) =>
      runProcess(process, { ...disk, open: forgotten(disk) }, parts),
  };
  const again = await runRehearsal({ ...forgetful, stage });
  assert.equal(again.callsAfterEnd?.length, 3);
});

function forgotten(disk: Parameters<Testbed["runProcess"]>[1]) {
  return async (...given: Parameters<typeof disk.open>) => {
    const { journal, history } = await disk.open(...given);
    history.decisions.clear();
    return { journal, history };
  };
}
