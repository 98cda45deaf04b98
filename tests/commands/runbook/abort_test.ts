import assert from "node:assert/strict";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { readRun } from "../../../workflows/runbooks/store/run_folder.ts";
import { run, type RunOptions } from "../../_run.ts";
import { makeRun, started } from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";
import { fakeProcess } from "../../workflows/runbooks/store/_process.ts";

const id = "20261120-7k2f";
const by = `eve@${Deno.hostname()}`;

function withRun(
  records: readonly NewRecord[],
  test: (at: {
    readonly folder: string;
    readonly abort: (
      words: readonly string[],
      options?: RunOptions,
    ) => ReturnType<typeof run>;
    readonly end: () => Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  return withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    const folder = await makeRun(runs, { records: [started, ...records] });
    await test({
      folder,
      abort: (words, options) =>
        run(["runbook", "abort", id, ...words], {}, {
          env: { ...env, USER: "eve" },
          ...options,
        }),
      end: async () => (await readRun(runs, id)).history.end,
    });
  });
}

const p = "workers";
const half: readonly NewRecord[] = [
  { type: "enter", path: p, node: "w-1", entry: 1 },
  {
    type: "result",
    path: "workers/drain",
    node: "w-1",
    entry: 1,
    data: { state: "ok", module: "node.drain" },
  },
  {
    type: "intent",
    path: "workers/restart",
    node: "w-1",
    entry: 1,
    data: { operation: "reboot" },
  },
  {
    type: "intent",
    path: "snapshot",
    entry: 1,
    data: { operation: "etcd.snapshot" },
  },
];

const left = `in doubt: reboot at workers/restart on w-1
in doubt: etcd.snapshot at snapshot
interrupted in the middle of its steps: w-1
left on nodes: w-1 is still cordoned
`;

Deno.test("runbook abort shows what is left open, has the id typed, and writes the end down", () =>
  withRun(half, async ({ abort, end }) => {
    const options = { stdin: `${id}\n`, typed: true };
    const { out, err, status } = await abort(["--reason", "gone"], options);
    assert.equal(status, 0);
    assert.equal(err, `${left}Type "${id}" to abort it: `);
    assert.equal(
      out,
      `run ${id} is aborted\n${left.replaceAll(/^(?=.)/gm, "  ")}`,
    );
    assert.deepEqual(await end(), {
      state: "cancelled",
      status: 1,
      failure: {
        step: "",
        code: "cancelled",
        message: `${by} aborted the run: gone`,
      },
    });
    const again = await abort(["--reason", "gone", "--typed", id]);
    assert.equal(again.status, 2);
    assert.match(
      again.err,
      /^error: Run "20261120-7k2f" has already finished$/m,
    );
  }));

Deno.test("runbook abort is refused without a reason, and without the id", () =>
  withRun([], async ({ abort, end }) => {
    const said = async (...words: string[]) => {
      const { err, status } = await abort(words);
      return [status, /^error: .*/m.exec(err)?.[0]];
    };
    const { err, status } = await abort([]);
    assert.equal(status, 2);
    assert.equal(
      err.split("\n").slice(0, 2).join("\n"),
      `error: Cannot abort the run without --reason
hint: Without a terminal, type: osctl runbook abort ${id} --reason "…" --typed ${id}`,
    );
    assert.deepEqual(await said("--reason", "x"), [
      5,
      'error: The id was not typed for run "20261120-7k2f"',
    ]);
    assert.deepEqual(await said("--reason", "x", "--typed", "y"), [
      5,
      'error: "y" is not the id of the run',
    ]);
    assert.equal(await end(), undefined);
  }));

Deno.test("runbook abort asks for a missing reason on a terminal, then for the id", () =>
  withRun([], async ({ abort, end }) => {
    const typed = ["gone\n", `${id}\n`].map((line) =>
      new TextEncoder().encode(line)
    );
    const stdin = ReadableStream.from(typed);
    const { err, status } = await abort([], { stdin, typed: true });
    assert.equal(err, `Reason to abort the run: Type "${id}" to abort it: `);
    assert.equal(status, 0);
    const { failure } = await end() as { failure: { message: string } };
    assert.equal(failure.message, `${by} aborted the run: gone`);
    const none = await abort([], { stdin: "\n", typed: true });
    assert.match(
      none.err,
      /^hint: Type: osctl runbook abort 20261120-7k2f --reason "…"$/m,
    );
  }));

Deno.test("runbook abort interrupts the process of the run first", () =>
  withRun([], async ({ folder, abort, end }) => {
    await using process = await fakeProcess(folder, (_, letGo) => letGo());
    const { out, status } = await abort(
      ["--reason", "x", "--typed", id, "-o", "json"],
      { now: () => new Date() },
    );
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(out), {
      run: id,
      state: "cancelled",
      by,
      reason: "x",
      claim: "none",
      inDoubt: [],
      residue: [],
      inside: [],
    });
    const [message] = process.taken;
    assert.equal(message?.type === "stop" && message.hard, true);
    assert.notEqual(await end(), undefined);
  }));

Deno.test("runbook abort leaves a run alone whose process does not end", () =>
  withRun([], async ({ folder, abort, end }) => {
    await using _ = await fakeProcess(folder);
    const { err, status } = await abort(
      ["--reason", "x", "--typed", id, "--timeout", "200ms"],
    );
    assert.equal(status, 4);
    assert.match(
      err,
      /^error: The process of run "20261120-7k2f" does not exit: nothing was reported$/m,
    );
    assert.equal(await end(), undefined);
  }));

Deno.test("runbook abort says that a claim stays when the cluster cannot be asked", () =>
  withRun(
    [{ type: "lease", data: { state: "taken" } }],
    async ({ abort, end }) => {
      const { out, err, status } = await abort(
        ["--reason", "x", "--typed", id, "-o", "json"],
      );
      assert.equal(status, 0);
      assert.equal(JSON.parse(out).claim, "kept");
      assert.match(
        err,
        /^The lock on cluster "prod" stays: .*; remove it with: osctl runbook unlock 20261120-7k2f --reason "…"$/m,
      );
      assert.notEqual(await end(), undefined);
    },
  ));
