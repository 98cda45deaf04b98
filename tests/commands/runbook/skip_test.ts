import assert from "node:assert/strict";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { readRun } from "../../../workflows/runbooks/store/run_folder.ts";
import { run } from "../../_run.ts";
import { makeRun, started } from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";
import { fakeProcess } from "../../workflows/runbooks/store/_process.ts";

const id = "20261120-7k2f";
const by = `eve@${Deno.hostname()}`;

/** A run, and the command that leaves a step of it out. */
function withRun(
  records: readonly NewRecord[],
  test: (at: {
    readonly folder: string;
    readonly skip: (...words: string[]) => ReturnType<typeof run>;
    readonly decided: (key: string) => Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  return withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    const folder = await makeRun(runs, { records: [started, ...records] });
    await test({
      folder,
      skip: (...words) =>
        run(["runbook", "skip", id, ...words], {}, {
          env: { ...env, USER: "eve" },
        }),
      async decided(key) {
        const { history } = await readRun(runs, id);
        return history.instances.get(key)?.decision;
      },
    });
  });
}

Deno.test("runbook skip writes down what a stopped run omits", () =>
  withRun([], async ({ skip, decided }) => {
    const { out, err, status } = await skip("drain@w-2", "--reason", "by hand");
    assert.equal(status, 0);
    assert.equal(err, "");
    assert.equal(
      out,
      `workers/drain on w-2 is skipped in run 20261120-7k2f
resume with: osctl runbook resume 20261120-7k2f
`,
    );
    assert.deepEqual(await decided("workers/drain@w-2"), {
      verdict: "skip",
      reason: "by hand",
      by,
    });
  }));

Deno.test("runbook skip tells a process that resumes the run", () =>
  withRun([], async ({ folder, skip, decided }) => {
    await using process = await fakeProcess(folder);
    const { out } = await skip("snapshot", "--reason", "taken", "-o", "json");
    assert.deepEqual(JSON.parse(out), {
      run: id,
      step: "snapshot",
      node: null,
      reason: "taken",
      by,
      delivered: "taken",
      next: null,
    });
    const [message] = process.taken;
    assert.deepEqual(
      message?.type === "decision" &&
        [message.verdict, message.path, message.node, message.reason],
      ["skip", "snapshot", undefined, "taken"],
    );
    assert.equal(await decided("snapshot"), undefined);
  }));

Deno.test("runbook skip says what is known of the step", () =>
  withRun([
    { type: "result", path: "snapshot", entry: 1, data: { state: "ok" } },
    {
      type: "result",
      path: "planes/each",
      entry: 1,
      data: { state: "skipped" },
    },
    {
      type: "intent",
      path: "workers/restart",
      node: "w-1",
      entry: 1,
      data: { operation: "reboot" },
    },
  ], async ({ skip }) => {
    const why = ["--reason", "x"];
    assert.equal(
      (await skip("snapshot", ...why)).err,
      "It has already finished: done\n",
    );
    assert.equal(
      (await skip("each", ...why)).err,
      "It has already finished: skipped\n",
    );
    assert.equal(
      (await skip("restart@w-1", ...why)).err,
      "Its result is not known: restart@w-1\n",
    );
    assert.equal((await skip("restart@w-2", ...why)).err, "");
  }));

Deno.test("runbook skip refuses approvals, steps that are none, runs that are over, and no reason", async () => {
  await withRun([], async ({ skip, decided }) => {
    const said = async (...words: string[]) => {
      const { err, status } = await skip(...words);
      assert.equal(status, 2);
      return err;
    };
    assert.match(
      await said("snapshot"),
      /^error: Cannot skip the step without --reason$/m,
    );
    assert.match(
      await said("wipe", "--reason", "x"),
      /^error: Step "planes\/wipe" is an approval\nhint: Answer it with: osctl runbook approve 20261120-7k2f wipe$/m,
    );
    assert.match(
      await said("none", "--reason", "x"),
      /^error: There is no step "none" in this run$/m,
    );
    assert.equal(await decided("planes/wipe"), undefined);
  });
  const end = {
    type: "run.end",
    data: { state: "succeeded", status: 0 },
  } as const;
  await withRun([end], async ({ skip }) => {
    const { err, status } = await skip("snapshot", "--reason", "x");
    assert.equal(status, 2);
    assert.match(err, /^error: Run "20261120-7k2f" has finished$/m);
  });
});
