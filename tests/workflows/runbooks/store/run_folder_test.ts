import assert from "node:assert/strict";
import {
  createRun,
  listRuns,
  openJournal,
  openRun,
  readRecords,
  readRun,
  runFolder,
} from "../../../../workflows/runbooks/store/run_folder.ts";
import {
  listHeaders,
  type RunHeader,
} from "../../../../workflows/runbooks/store/run_header.ts";
import { isHeld } from "../../../../workflows/runbooks/store/run_lock.ts";
import { withFolder } from "../../../_folder.ts";
import { needs, posix } from "../../../_needs.ts";
import { ticking } from "../journal/_journals.ts";
import { holdElsewhere } from "../_other_process.ts";
import { demo, makeRun, started } from "./_runs.ts";
import { type NewRecord, whole } from "../_records.ts";

const id = "20261120-7k2f";

const header: Omit<RunHeader, "ir" | "v"> = {
  id,
  runbook: "demo",
  source: "demo.runbook.yaml",
  files: {},
  inputs: { batch: 2 },
  context: "prod",
  cluster: { id: "c1", name: "prod" },
  operator: "eve@desk",
  version: "1.0.0",
  at: "2026-11-20T19:30:00.000Z",
};

const enter: NewRecord = {
  type: "enter",
  path: "workers",
  node: "w-1",
  entry: 1,
};

function inRuns(test: (runs: string) => Promise<void>): Promise<void> {
  return withFolder({}, (folder) => test(`${folder}/state/runs`));
}

/** Modes of everything in a folder, by path in it. */
async function modesIn(
  folder: string,
  below = "",
): Promise<Record<string, string>> {
  const modes: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder + below)) {
    const path = `${below}/${name}`;
    const { mode } = await Deno.stat(folder + path);
    modes[path.slice(1)] = (mode! & 0o777).toString(8); // not on Windows
    if (isDirectory) Object.assign(modes, await modesIn(folder, path));
  }
  return modes;
}

Deno.test("runFolder refuses what is not an id", () => {
  for (const wrong of ["", ".", "..", "a/b", "a\\b", "a b", "ä", "x\n"]) {
    assert.throws(() => runFolder("/runs", wrong), {
      name: "ConfigError",
      message: `Cannot use run "${wrong}": that is not a run id`,
      hint: "List them with: osctl runbook history",
    });
  }
});

Deno.test({
  name: "all of a run can be read by its owner alone",
  ...needs(posix),
  fn: () =>
    inRuns(async (runs) => {
      const files = [{ path: "demo.yaml", text: "" }];
      using run = await createRun(runs, header, demo, files, ticking());
      await run.journal.append(whole(started));
      assert.deepEqual(await modesIn(runs.slice(0, -"/state/runs".length)), {
        "state": "700",
        "state/runs": "700",
        [`state/runs/${id}`]: "700",
        [`state/runs/${id}/artifacts`]: "700",
        [`state/runs/${id}/header.json`]: "600",
        [`state/runs/${id}/inbox`]: "700",
        [`state/runs/${id}/ir.json`]: "600",
        [`state/runs/${id}/journal.jsonl`]: "600",
        [`state/runs/${id}/lock`]: "600",
        [`state/runs/${id}/runbook`]: "700",
        [`state/runs/${id}/runbook/0-demo.yaml`]: "600",
      });
    }),
});

Deno.test("a run is never started over another one", () =>
  inRuns(async (runs) => {
    const folder = await makeRun(runs, { id });
    await assert.rejects(createRun(runs, header, demo, [], ticking()), {
      name: "ConfigError",
      message: `Cannot start run "${id}": "${folder}" already contains a run`,
      hint: `See: osctl runbook status ${id}`,
    });
    const { header: kept } = await readRun(runs, id);
    assert.deepEqual(kept.inputs, {});
  }));

Deno.test("a last line that was truncated is removed, and said", () =>
  inRuns(async (runs) => {
    const folder = await makeRun(runs, { id, records: [started, enter] });
    const path = `${folder}/journal.jsonl`;
    const { size } = await Deno.stat(path);
    await Deno.truncate(path, size - 3);
    assert.equal((await readRun(runs, id)).history.nodes.size, 0);
    assert.equal((await Deno.stat(path)).size, size - 3);
    {
      using run = await openRun(runs, id, ticking());
      assert.equal(run.torn, true);
      assert.equal(run.history.nodes.size, 0);
      await run.journal.append(whole({ ...enter, node: "w-2" }));
    }
    using run = await openRun(runs, id, ticking());
    assert.equal(run.torn, false);
    assert.deepEqual([...run.history.nodes.keys()], ["workers@w-2"]);
  }));

Deno.test("a damaged journal is refused, and the run stays free", () =>
  inRuns(async (runs) => {
    const folder = await makeRun(runs, { id, records: [started, enter] });
    const path = `${folder}/journal.jsonl`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("workers", "workerz"));
    const damaged = {
      name: "ConfigError",
      message:
        `Cannot read journal "${path}": line 2 is damaged (its checksum is wrong)`,
    };
    await assert.rejects(openRun(runs, id, ticking()), damaged);
    await assert.rejects(readRun(runs, id), damaged);
    await assert.rejects(listRuns(runs), damaged);
    assert.equal(await isHeld(folder), false);
    assert.deepEqual((await listHeaders(runs)).map((one) => one.id), [id]);
  }));

Deno.test("a run whose steps were changed is not resumed, but can be written to", () =>
  inRuns(async (runs) => {
    const folder = await makeRun(runs, { id });
    await Deno.writeTextFile(`${folder}/ir.json`, "{}");
    await assert.rejects(openRun(runs, id, ticking()), {
      name: "ConfigError",
      message:
        `Cannot resume run "${id}": "${folder}/ir.json" has changed since the run started`,
    });
    using run = await openJournal(runs, id, ticking());
    assert.equal((await run.journal.append(whole({ type: "run.end" }))).seq, 3);
  }));

Deno.test("an unknown run is named", () =>
  inRuns(async (runs) => {
    const unknown = {
      name: "ConfigError",
      message: 'Cannot find run "20261120-zzzz"',
      hint: "List them with: osctl runbook history",
    };
    await assert.rejects(openRun(runs, "20261120-zzzz", ticking()), unknown);
    await assert.rejects(readRun(runs, "20261120-zzzz"), unknown);
  }));

Deno.test("a run has one process at a time", () =>
  inRuns(async (runs) => {
    const folder = await makeRun(runs, { id });
    assert.equal(await isHeld(folder), false);
    const other = await holdElsewhere("run", runs, id);
    try {
      assert.equal(await isHeld(folder), true);
      assert.equal((await readRun(runs, id)).held, true);
      await assert.rejects(openRun(runs, id, ticking()), {
        name: "LockedError",
        status: 8,
        message: `Run "${id}" is running in another process`,
        hint: `Watch it with: osctl runbook status ${id}`,
      });
    } finally {
      await other.kill();
    }
    // The system has given the lock back.
    assert.equal(await isHeld(folder), false);
    using run = await openRun(runs, id, ticking());
    assert.deepEqual(run.history.start, started.data);
    assert.equal((await readRun(runs, id)).held, true);
  }));

Deno.test("run folder: reading the state of the lock does not block others", () =>
  inRuns(async (runs) => {
    const folder = await makeRun(runs, { id });
    using looking = await Deno.open(`${folder}/lock`, { read: true });
    await looking.lock(false);
    // Between the first try and the last one, which are timers of the same process.
    setTimeout(() => looking.unlockSync(), 60);
    using run = await openRun(runs, id, ticking());
    assert.equal(run.header.id, id);
  }));

Deno.test({
  name: "a folder that cannot be read is not an empty one",
  ...needs(posix),
  fn: () =>
    withFolder({ runs: "a file" }, async (folder) => {
      await assert.rejects(
        listRuns(`${folder}/runs`),
        /ENOTDIR|Not a directory/i,
      );
      await assert.rejects(
        isHeld(`${folder}/runs`),
        /ENOTDIR|Not a directory/i,
      );
      await assert.rejects(
        readRecords(`${folder}/runs`, () => {}),
        /ENOTDIR|Not a directory/i,
      );
    }),
});
