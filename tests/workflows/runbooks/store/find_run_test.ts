import assert from "node:assert/strict";
import {
  findRun,
  readSuccess,
  runOfKey,
  surveyRuns,
} from "../../../../workflows/runbooks/store/find_run.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun, started } from "./_runs.ts";
import {
  createRun,
  readRun,
} from "../../../../workflows/runbooks/store/run_folder.ts";

const end = {
  type: "run.end",
  data: { state: "succeeded", status: 0 },
} as const;

Deno.test("a run is found by its id, how it begins or ends, and as the last one", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs, { id: "20261120-7k2f" });
    await makeRun(runs, { id: "20261120-7k2fa", at: "2026-11-20T19:29:00Z" });
    await makeRun(runs, { id: "20261121-abcd", at: "2026-11-21T00:00:00Z" });
    assert.equal(await findRun(runs, "20261120-7k2f"), "20261120-7k2f");
    assert.equal(await findRun(runs, "20261121"), "20261121-abcd");
    assert.equal(await findRun(runs, "7k2fa"), "20261120-7k2fa");
    assert.equal(await findRun(runs, "last"), "20261121-abcd");
    await assert.rejects(findRun(runs, "20261120"), {
      name: "ConfigError",
      message: '"20261120" matches 2 runs',
      hint: 'Name one: 20261120-7k2f (demo), 20261120-7k2fa (demo), or "last"',
    });
    await assert.rejects(findRun(runs, "x"), {
      message: 'Cannot find run "x"',
    });
    await assert.rejects(findRun(runs, "../etc"), {
      message: 'Cannot use run "../etc": that is not a run id',
    });
  }));

Deno.test("without a word it is the only run, or the only one that has not ended", () =>
  withFolder({}, async (runs) => {
    await assert.rejects(findRun(`${runs}/none`, undefined), {
      message: "There are no runs",
    });
    await assert.rejects(findRun(runs, "last"), {
      message: "There are no runs",
    });
    await makeRun(runs, { id: "a", records: [started, end] });
    assert.equal(await findRun(runs, undefined), "a");
    await makeRun(runs, { id: "b", records: [started, end] });
    await assert.rejects(findRun(runs, undefined), {
      message: "There are 2 runs, and all have finished",
    });
    await makeRun(runs, { id: "c" });
    assert.equal(await findRun(runs, undefined), "c");
    for (const id of ["d", "e", "f", "g", "h"]) await makeRun(runs, { id });
    await assert.rejects(findRun(runs, undefined), {
      message: "6 runs are unfinished",
      hint: /^Name one: . \(demo\), . .*, \.\.\., or "last"$/,
    });
  }));

Deno.test("of several unfinished runs it is the running one, then the only one of the context", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs, { id: "a", context: "lab" });
    await makeRun(runs, { id: "b", context: "prod" });
    await makeRun(runs, { id: "c", context: "prod" });
    const inContext = (name: string) => () => Promise.resolve(name);
    assert.equal(await findRun(runs, undefined, inContext("lab")), "a");
    for (const name of ["prod", "other", ""]) {
      await assert.rejects(findRun(runs, undefined, inContext(name)), {
        message: "3 runs are unfinished",
      });
    }
    const { header } = await readRun(runs, "b");
    using _running = await createRun(
      runs,
      { ...header, id: "d" },
      demo,
      [],
      () => new Date(),
    );
    assert.equal(await findRun(runs, undefined, inContext("lab")), "d");
    assert.equal(await findRun(runs, undefined), "d");
  }));

Deno.test("a run whose header is damaged hides no other, and can be named", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs, { id: "b" });
    await makeRun(runs, { id: "a", records: [started, end] });
    for (
      const [text, reason] of [["{", "it is not JSON"], [
        "null",
        "it does not describe a run",
      ], ['{"id":"b"}', "it does not describe a run"]] as const
    ) {
      await Deno.writeTextFile(`${folder}/header.json`, text);
      const [newest, damaged] = await Array.fromAsync(surveyRuns(runs));
      assert.equal(newest?.header.id, "a");
      assert.equal(damaged?.header.id, "b");
      assert.equal(
        damaged?.problem,
        `Cannot read "${folder}/header.json": ${reason}`,
      );
    }
    assert.equal(await findRun(runs, "b"), "b");
    assert.equal(await findRun(runs, "last"), "a");
    await assert.rejects(findRun(runs, "c"), {
      message: 'Cannot find run "c"',
    });
  }));

const id = "20261120-7k2f";

Deno.test("runOfKey finds the run that was started with it, and no other", async () => {
  await withFolder({}, async (runs) => {
    assert.equal(await runOfKey({ runs: `${runs}/none` }, "k"), undefined);
    await makeRun(runs);
    const folder = `${runs}/${id}`;
    const header = JSON.parse(await Deno.readTextFile(`${folder}/header.json`));
    assert.equal(await runOfKey({ runs }, "k"), undefined);
    const other = { ...header, id: "20261121-aaaa", key: "k" };
    (await createRun(runs, other, demo, [], () => new Date()))
      [Symbol.dispose]();
    assert.equal(await runOfKey({ runs }, "k"), "20261121-aaaa");
    await Deno.writeTextFile(`${folder}/header.json`, "{");
    assert.equal(await runOfKey({ runs }, "k"), "20261121-aaaa");
    // Another run with the same key must never be started.
    await assert.rejects(runOfKey({ runs }, "other"), {
      name: "ConfigError",
      hint:
        `It may belong to the run with key "other"; if not, remove it: ${folder}`,
    });
  });
});

Deno.test("readSuccess tells the report of a run that has succeeded, and of no other", async () => {
  await withFolder({}, async (runs) => {
    const folder = await makeRun(runs, {
      records: [
        started,
        ...["w-1", "w-2", "w-3"].flatMap((n) => [
          { type: "enter", path: "workers", node: n, entry: 1 } as const,
          {
            type: "node",
            path: "workers",
            node: n,
            data: { state: "done", tookMs: 5 },
          } as const,
        ]),
      ],
    });
    assert.equal(await readSuccess(await readRun(runs, id)), undefined);
    await Deno.remove(folder, { recursive: true });
    await makeRun(runs, {
      records: [started, {
        type: "run.end",
        data: { state: "succeeded", status: 0, outputs: { touched: 2 } },
      }],
    });
    const report = await readSuccess(await readRun(runs, id));
    assert.equal(report?.state, "succeeded");
    assert.deepEqual(report?.outputs, { touched: 2 });
    assert.deepEqual(
      [report?.startedAt, report?.endedAt],
      ["2026-11-20T19:30:01.000Z", "2026-11-20T19:30:02.000Z"],
    );
    assert.equal(report?.next, undefined);
  });
});
