import assert from "node:assert/strict";
import { supersede } from "../../../../commands/runbook/_run/superseding.ts";
import { ConfigError, HeldError, RefusedError } from "../../../../errors.ts";
import { readRun } from "../../../../workflows/runbooks/run/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import {
  holdRun,
  makeRun,
  started,
} from "../../../workflows/runbooks/run/_runs.ts";

const old = "20261120-7k2f";

/** Puts a run in the place of the old one. */
function put(runs: string, cluster = "prod", notes: string[] = []) {
  return supersede({
    runs,
    old,
    by: "20261121-aaaa",
    cluster,
    operator: "eve@desk",
    now: () => new Date("2026-11-21T08:00:00Z"),
    note: (text) => void notes.push(text),
  });
}

Deno.test("supersede closes an unfinished run, and says what it leaves behind", async () => {
  await withFolder({}, async (runs) => {
    const module = "node.cordon";
    await makeRun(runs, {
      records: [started, {
        t: "result",
        p: "workers/cordon",
        n: "w-1",
        d: { state: "ok", module },
      }],
    });
    const notes: string[] = [];
    await put(runs, "prod", notes);
    const { history } = await readRun(runs, old);
    assert.equal(history.end?.state, "cancelled");
    assert.deepEqual(history.end?.failure, {
      step: "",
      code: "cancelled",
      message: 'eve@desk has given it up: run "20261121-aaaa" takes its place',
    });
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? "", /^Run "20261120-7k2f" leaves behind: .*w-1/);
  });
});

Deno.test("supersede refuses while something that was sent has no end, and names it", async () => {
  await withFolder({}, async (runs) => {
    await makeRun(runs, {
      records: [started, {
        t: "intent",
        p: "workers/restart",
        n: "w-1",
        e: 1,
        d: { operation: "node reboot", key: {}, input: {} },
      }, { t: "intent", p: "snapshot", e: 1, d: {} }],
    });
    await assert.rejects(put(runs), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.match(error.message, /the end of workers\/restart@w-1, snapshot$/);
      return true;
    });
    assert.equal((await readRun(runs, old)).history.end, undefined);
  });
});

Deno.test("supersede refuses a run of another cluster, one at work, and one that is not there", async () => {
  await withFolder({}, async (runs) => {
    await assert.rejects(put(runs), ConfigError);
    const folder = await makeRun(runs);
    await assert.rejects(put(runs, "lab"), ConfigError);
    using _ = await holdRun(folder);
    await assert.rejects(put(runs), HeldError);
  });
});

Deno.test("supersede leaves a run alone that has ended for good", async () => {
  await withFolder({}, async (runs) => {
    const end = { t: "run.end", d: { state: "succeeded", status: 0 } } as const;
    await makeRun(runs, { records: [started, end] });
    await put(runs);
    assert.equal((await readRun(runs, old)).history.end?.state, "succeeded");
  });
});
