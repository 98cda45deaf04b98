import assert from "node:assert/strict";
import { run } from "../../_run.ts";
import {
  holdRun,
  makeRun,
  started,
} from "../../workflows/runbooks/store/_runs.ts";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { withHome } from "../_home.ts";

const now = new Date("2026-11-22T00:00:00Z");

/** Runs of every kind, and the command that lists them. */
function withRuns(
  test: (
    history: (
      line?: string,
      columns?: number,
    ) => Promise<{ out: string; err: string }>,
    folders: { readonly damaged: string },
  ) => Promise<void>,
): Promise<void> {
  return withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    const p = "workers";
    await makeRun(runs, {
      id: "20261120-aaaa",
      records: [
        started,
        { type: "enter", path: p, node: "w-1", entry: 1 },
        {
          type: "node",
          path: p,
          node: "w-1",
          entry: 1,
          data: { state: "done" },
        },
        { type: "enter", path: p, node: "w-2", entry: 1 },
        {
          type: "node",
          path: p,
          node: "w-2",
          entry: 1,
          data: { state: "blocked" },
        },
        { type: "enter", path: p, node: "w-3", entry: 1 },
        { type: "run.end", data: { state: "blocked", status: 5 } },
      ],
    });
    await makeRun(runs, {
      id: "20261121-bbbb",
      at: "2026-11-21T12:00:00.000Z",
      runbook: "other",
      cluster: "lab",
    });
    const on = await makeRun(runs, {
      id: "20261121-cccc",
      at: "2026-11-21T23:59:00.000Z",
    });
    const damaged = await makeRun(runs, {
      id: "20261119-dddd",
      at: "2026-11-19T00:00:00.000Z",
    });
    const path = `${damaged}/journal.jsonl`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("w-1", "w-7") + text);
    using _ = await holdRun(on);
    await test(async (line = "", columns) => {
      const ran = await run(`runbook history ${line}`, {}, {
        env,
        now,
        ...columns && { columns },
      });
      assert.equal(ran.status, 0, ran.err);
      return ran;
    }, { damaged });
  });
}

Deno.test("runbook history counts no node as done that a stopped run had more steps for", () =>
  withHome(async (env) => {
    await makeRun(`${env.OS_HOME}/runs`, {
      records: [
        {
          type: "run.start",
          data: {
            groups: { "#workers": ["w-1", "w-2"], "planes#all": ["w-1"] },
            members: ["w-1", "w-2"],
          },
        },
        ...["w-1", "w-2"].flatMap((node): NewRecord[] => [
          { type: "enter", path: "workers", node, entry: 1 },
          {
            type: "node",
            path: "workers",
            node,
            entry: 1,
            data: { state: "done" },
          },
        ]),
        { type: "run.end", data: { state: "stopped", status: 75 } },
      ],
    });
    const { out } = await run("runbook history -o json", {}, { env, now });
    assert.equal(JSON.parse(out).done, 1);
  }));

Deno.test("runbook history keeps when a run started and how many nodes failed at 62 columns, and sorts by time", () =>
  withRuns(async (history) => {
    const { out } = await history("--color never", 62);
    assert.equal(
      out,
      `RUN             RUNBOOK   STATE         STARTED        FAILED
20261121-cccc   demo      running       1 minute ago   0
20261121-bbbb   other     interrupted   12 hours ago   0
20261120-aaaa   demo      blocked       1 day ago      1
20261119-dddd   demo      damaged       3 days ago     0
`,
    );
    const { out: started } = await history("--sort-by started -o name");
    assert.equal(
      started,
      "20261119-dddd\n20261120-aaaa\n20261121-bbbb\n20261121-cccc\n",
    );
  }));

Deno.test("runbook history lists runs, the newest first, and hides none for another that is damaged", () =>
  withRuns(async (history, { damaged }) => {
    const { out, err } = await history();
    assert.equal(
      out,
      `RUN             RUNBOOK   CLUSTER   STATE         STATUS   STARTED        TOOK   DONE   FAILED
20261121-cccc   demo      prod      running                1 minute ago   1m0s   0      0
20261121-bbbb   other     lab       interrupted            12 hours ago   1s     0      0
20261120-aaaa   demo      prod      blocked       5        1 day ago      7s     1      1
20261119-dddd   demo      prod      damaged                3 days ago     0s     0      0
`,
    );
    assert.equal(
      err,
      `Cannot read journal "${damaged}/journal.jsonl": line 2 is damaged (its checksum is wrong)\n`,
    );
  }));

const choices: Readonly<Record<string, readonly string[]>> = {
  "--cluster lab": ["20261121-bbbb"],
  "--runbook demo -n 2": ["20261121-cccc", "20261120-aaaa"],
  "--state blocked,damaged": ["20261120-aaaa", "20261119-dddd"],
  "--unfinished": ["20261121-cccc", "20261121-bbbb", "20261120-aaaa"],
  "--since 1d": ["20261121-cccc", "20261121-bbbb"],
  "--since 1d12h": ["20261121-cccc", "20261121-bbbb", "20261120-aaaa"],
};

for (const [line, ids] of Object.entries(choices)) {
  Deno.test(`runbook history ${line} lists only some`, () =>
    withRuns(async (history) => {
      const { out } = await history(`${line} -o jsonl`);
      const rows = out.trimEnd().split("\n").map((one) => JSON.parse(one));
      assert.deepEqual(rows.map((row) => row.run), ids);
    }));
}

Deno.test("runbook history refuses what is not a state and no time", async () => {
  for (const line of ["--state late", "--since 3w", "--since -1h"]) {
    const { status } = await run(`runbook history ${line}`, {}, {
      env: { OS_HOME: "/nowhere" },
    });
    assert.equal(status, 2, line);
  }
});
