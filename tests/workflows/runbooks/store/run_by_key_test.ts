import assert from "node:assert/strict";
import {
  runOfKey,
  successOf,
} from "../../../../workflows/runbooks/store/run_by_key.ts";
import {
  createRun,
  readRun,
} from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun, started } from "./_runs.ts";

const id = "20261120-7k2f";

Deno.test("runOfKey finds the run that was begun with it, and no other", async () => {
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
    // Another run with the same key must never be begun.
    await assert.rejects(runOfKey({ runs }, "other"), {
      name: "ConfigError",
      hint:
        `It may belong to the run with key "other"; if not, remove it: ${folder}`,
    });
  });
});

Deno.test("successOf tells the report of a run that has succeeded, and of no other", async () => {
  await withFolder({}, async (runs) => {
    const folder = await makeRun(runs, {
      records: [
        started,
        ...["w-1", "w-2", "w-3"].flatMap((n) => [
          { t: "enter", p: "workers", n, e: 1 } as const,
          {
            t: "node",
            p: "workers",
            n,
            d: { state: "done", tookMs: 5 },
          } as const,
        ]),
      ],
    });
    assert.equal(await successOf(await readRun(runs, id)), undefined);
    await Deno.remove(folder, { recursive: true });
    await makeRun(runs, {
      records: [started, {
        t: "run.end",
        d: { state: "succeeded", status: 0, outputs: { touched: 2 } },
      }],
    });
    const report = await successOf(await readRun(runs, id));
    assert.equal(report?.state, "succeeded");
    assert.deepEqual(report?.outputs, { touched: 2 });
    assert.deepEqual(
      [report?.startedAt, report?.endedAt],
      ["2026-11-20T19:30:01.000Z", "2026-11-20T19:30:02.000Z"],
    );
    assert.equal(report?.next, undefined);
  });
});
