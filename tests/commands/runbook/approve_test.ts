import assert from "node:assert/strict";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { readRun } from "../../../workflows/runbooks/store/run_folder.ts";
import { run, type RunOptions } from "../../_run.ts";
import { makeRun, started } from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";
import { fakeProcess } from "../../workflows/runbooks/store/_process.ts";

const now = new Date("2026-11-20T20:00:00Z");
const id = "20261120-7k2f";
const by = `eve@${Deno.hostname()}`;

function asks(p: string, d: NonNullable<NewRecord["data"]>): NewRecord {
  return {
    type: "approval.requested",
    path: p,
    data: { message: "Go?", destructive: false, lastsMs: 86_400_000, ...d },
  };
}

const start = asks("go", { tag: "start" });
const wipe = asks("planes/wipe", {
  tag: "wipe",
  message: "Lose all data of cp-1?",
  destructive: true,
  typed: "cp-1",
  lastsMs: 3_600_000,
});
const waiting: NewRecord = {
  type: "run.end",
  data: { state: "waiting-approval", status: 76 },
};

/** A run that asks, and the command that answers. */
function withRun(
  records: readonly NewRecord[],
  test: (at: {
    readonly folder: string;
    readonly approve: (
      words: readonly string[],
      options?: RunOptions,
    ) => ReturnType<typeof run>;
    readonly answers: () => Promise<unknown[]>;
  }) => Promise<void>,
): Promise<void> {
  return withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    const folder = await makeRun(runs, { records: [started, ...records] });
    await test({
      folder,
      approve: (words, options) =>
        run(["runbook", "approve", ...words], {}, {
          now,
          env: { ...env, USER: "eve" },
          ...options,
        }),
      async answers() {
        const { history } = await readRun(runs, id);
        return [...history.approvals];
      },
    });
  });
}

Deno.test("runbook approve writes an answer down for the process that continues with a stopped run", () =>
  withRun([start, waiting], async ({ approve, answers }) => {
    const { out, status } = await approve(["7k2f", "--reason", "change 4711"]);
    assert.equal(status, 0);
    assert.equal(
      out,
      `"start" of run 20261120-7k2f is approved until 2026-11-21T20:00:00.000Z
resume with: osctl runbook resume 20261120-7k2f
`,
    );
    const at = now.getTime();
    assert.deepEqual(await answers(), [
      ["go", {
        approved: true,
        destructive: false,
        by,
        at,
        question: { message: "Go?" },
      }],
    ]);
    const again = await approve(["7k2f"]);
    assert.equal(again.status, 2);
    assert.match(
      again.err,
      /^error: Run "20261120-7k2f" has no open approval$/m,
    );
  }));

Deno.test("runbook approve without a run asks for the only one that waits, on a terminal only", () =>
  withRun([start, waiting], async ({ approve, answers }) => {
    const blind = await approve([]);
    assert.equal(blind.status, 2);
    assert.match(
      blind.err,
      /^error: Without a terminal, the run has to be named\nhint: Waiting: 20261120-7k2f$/m,
    );
    const terminal = { typed: true };
    const no = await approve([], { ...terminal, stdin: "n\n" });
    assert.equal(no.status, 5);
    assert.deepEqual(await answers(), []);
    const yes = await approve([], { ...terminal, stdin: "y\n" });
    assert.equal(yes.status, 0, yes.err);
    assert.match(
      yes.err,
      /Approve "start" of run 20261120-7k2f: Go\? \(y\/N\): /,
    );
    assert.equal((await answers()).length, 1);
    const none = await approve([], { ...terminal, stdin: "y\n" });
    assert.match(none.err, /^error: No run waits for an approval$/m);
  }));

Deno.test("runbook approve gives the answer to a process that resumes the run", () =>
  withRun([start], async ({ folder, approve, answers }) => {
    await using process = await fakeProcess(folder);
    const { out } = await approve([id, "start", "--refuse", "-o", "json"]);
    assert.deepEqual(JSON.parse(out), {
      run: id,
      tag: "start",
      approved: false,
      by,
      delivered: "taken",
      until: null,
      next: null,
    });
    assert.deepEqual(process.taken, [{
      by,
      at: "2026-11-20T20:00:00.000Z",
      type: "approve",
      tag: "start",
      approved: false,
      question: "Go?",
    }]);
    assert.deepEqual(await answers(), []);
  }));

Deno.test("runbook approve --refuse of a stopped run is reported as such", () =>
  withRun([start, waiting], async ({ approve, answers }) => {
    const { out } = await approve([id, "--refuse"]);
    assert.equal(
      out,
      `"start" of run 20261120-7k2f is refused
resume with: osctl runbook resume 20261120-7k2f
`,
    );
    assert.equal((await answers()).length, 1);
  }));

Deno.test("runbook approve wants the word where data may be lost", () =>
  withRun([wipe, waiting], async ({ approve, answers }) => {
    const wrong = await approve([id, "--typed", "cp-2"]);
    assert.equal(wrong.status, 5);
    assert.match(
      wrong.err,
      /^error: "wipe" is not approved: "cp-2" is not the requested word$/m,
    );
    const silent = await approve([id]);
    assert.equal(silent.status, 5);
    assert.match(silent.err, /^hint: Give it with --typed cp-1$/m);
    assert.deepEqual(await answers(), []);
    const typed = await approve([id], { stdin: "cp-1\n", typed: true });
    assert.equal(typed.status, 0);
    assert.equal(
      typed.err,
      'Lose all data of cp-1?\nType "cp-1" to approve "wipe": ',
    );
    assert.match(typed.out, /is approved until 2026-11-20T21:00:00.000Z$/m);
    const [[path, answer] = []] = await answers() as [string, unknown][];
    assert.deepEqual([path, answer], [
      "planes/wipe",
      {
        approved: true,
        destructive: true,
        by,
        at: now.getTime(),
        question: { message: "Lose all data of cp-1?", typed: "cp-1" },
      },
    ]);
  }));

Deno.test("runbook approve hands on what was typed", () =>
  withRun([wipe], async ({ folder, approve }) => {
    await using process = await fakeProcess(folder);
    const { status } = await approve([id, "wipe", "--typed", "cp-1"]);
    assert.equal(status, 0);
    const [message] = process.taken;
    assert.deepEqual(
      message?.type === "approve" && [message.typed, message.approved],
      ["cp-1", true],
    );
  }));

Deno.test("runbook approve refuses what is not asked, or not asked any more", () =>
  withRun([start, wipe], async ({ approve }) => {
    const both = await approve([id]);
    assert.equal(both.status, 2);
    assert.match(
      both.err,
      /^error: Run "20261120-7k2f" has 2 open approvals$/m,
    );
    const other = await approve([id, "other"]);
    assert.equal(other.status, 2);
    assert.match(
      other.err,
      /^error: Run "20261120-7k2f" has no open approval "other"\nhint: Open: start, wipe$/m,
    );
  }));

Deno.test("runbook approve answers nothing in a run that is over", () =>
  withRun([
    start,
    { type: "run.end", data: { state: "cancelled", status: 1 } },
  ], async ({ approve }) => {
    const { err, status } = await approve([id]);
    assert.equal(status, 2);
    assert.match(err, /^error: Run "20261120-7k2f" has finished$/m);
  }));
