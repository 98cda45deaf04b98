import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { makeRun, started } from "../../workflows/runbooks/store/_runs.ts";

const now = new Date("2026-11-22T00:00:00Z");

function makeEnd(state: string, status: number) {
  const p = "workers";
  return [
    started,
    { type: "enter", path: p, node: "w-1", entry: 1 } as const,
    {
      type: "node",
      path: p,
      node: "w-1",
      entry: 1,
      data: { state: "done" },
    } as const,
    { type: "run.end", data: { state, status } } as const,
  ];
}

function report(folder: string, ...more: readonly string[]) {
  const argv = ["runbook", "fleet-report", "--state-dir", folder, ...more];
  return run(argv, {}, { now });
}

Deno.test("runbook fleet-report has a row for each cluster, and the worst status of all", async () => {
  await withFolder({}, async (folder) => {
    const key = "june-1";
    await makeRun(`${folder}/lab-1/runs`, {
      key,
      cluster: "lab",
      records: makeEnd("succeeded", 0),
    });
    await makeRun(`${folder}/prod-1/runs`, {
      key,
      records: makeEnd("partial", 3),
    });
    const good = await report(folder, "--run-key", "june-");
    assert.deepEqual(good.out.split("\n").map((line) => line.trimEnd()), [
      "CLUSTER   RUNBOOK   RUN             STATE       STATUS   TOOK   DONE   FAILED",
      "lab-1     demo      20261120-7k2f   succeeded   0        4s     1      0",
      "prod-1    demo      20261120-7k2f   partial     3        4s     1      0",
      "",
    ]);
    assert.equal(good.status, 3);
    assert.match(good.err, /not all runs succeeded: 1 of 2 clusters/);
    await makeRun(`${folder}/prod-2/runs`, {
      id: "20261121-aaaa",
      records: makeEnd("blocked", 5),
    });
    const all = await report(folder, "-o", "json");
    assert.equal(all.status, 5);
    assert.match(all.out, /"folder": *"prod-2"/);
    const some = await report(folder, "--run-key", "june-");
    assert.equal(some.status, 3);
    assert.match(some.err, /prod-2 has no matching run/);
  });
});

Deno.test("runbook fleet-report counts runs that have not ended, and those that cannot be read", async () => {
  await withFolder({}, async (folder) => {
    await makeRun(`${folder}/a/runs`);
    const open = await report(folder);
    assert.equal(open.status, 75);
    assert.match(open.out, /interrupted +75/);
    const run = await makeRun(`${folder}/b/runs`);
    const path = `${run}/journal.jsonl`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace('"seq":1', '"seq":7') + text);
    const damaged = await report(folder);
    assert.equal(damaged.status, 1);
    assert.match(damaged.out, /damaged +1/);
    assert.match(damaged.err, /journal\.jsonl/);
  });
});

Deno.test("runbook fleet-report succeeds when all have, and fails where there is nothing", async () => {
  await withFolder({ "empty/": "" }, async (folder) => {
    const none = await report(`${folder}/empty`);
    assert.deepEqual([none.status, none.err.replaceAll(folder, "")], [
      2,
      'error: There are no matching runs below "/empty"\nhint: Check --state-dir and --run-key; a pod that fails before its run starts leaves none\n',
    ]);
    await makeRun(`${folder}/runs`, { records: makeEnd("succeeded", 0) });
    const one = await report(folder);
    assert.equal(one.status, 0);
    assert.match(one.out, /^prod +demo/m);
    const gone = await report(`${folder}/gone`);
    assert.equal(gone.status, 2);
    assert.match(gone.err, /There is no directory/);
  });
});
