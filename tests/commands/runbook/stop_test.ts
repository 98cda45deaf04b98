import assert from "node:assert/strict";
import { pause } from "../../../lib/pause.ts";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { openEventFile } from "../../../workflows/runbooks/store/event_file.ts";
import { run } from "../../_run.ts";
import { event } from "../../workflows/runbooks/report/_streams.ts";
import { makeRun, started } from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";
import { fakeProcess } from "../../workflows/runbooks/store/_process.ts";

const now = new Date("2026-11-20T19:32:00Z");
const id = "20261120-7k2f";

function withRun(
  records: readonly NewRecord[],
  test: (
    folder: string,
    stop: (line?: string) => ReturnType<typeof run>,
  ) => Promise<void>,
): Promise<void> {
  return withHome(async (env) => {
    const folder = await makeRun(`${env.OS_HOME}/runs`, {
      records: [started, ...records],
      events: [event("run.stopping", 0, {
        data: { waiting: [{ node: "w-9", until: "old" }] },
      })],
    });
    await test(
      folder,
      (line = "") =>
        run(`runbook stop ${line}`, {}, { now, env: { ...env, USER: "eve" } }),
    );
  });
}

Deno.test("runbook stop leaves the wish for the process of the run", () =>
  withRun([], async (folder, stop) => {
    await using process = await fakeProcess(folder);
    const { out, status } = await stop("--reason lunch");
    assert.equal(status, 0);
    assert.equal(out, "run 20261120-7k2f is stopping\n");
    while (process.taken.length === 0) await pause(5);
    assert.deepEqual(process.taken, [{
      by: `eve@${Deno.hostname()}`,
      at: "2026-11-20T19:32:00.000Z",
      reason: "lunch",
      type: "stop",
      hard: false,
    }]);
  }));

Deno.test("runbook stop --wait says which nodes are waited for, and how the run is then", () =>
  withRun([{
    type: "run.end",
    data: { state: "stopped", status: 75 },
  }], async (folder, stop) => {
    await using file = await openEventFile(folder, assert.fail);
    const path = "workers";
    await using _ = await fakeProcess(folder, async (_, letGo) => {
      await file.add(event("node.entered", 60, { path, node: "w-1" }));
      await file.add(event("step.start", 60, {
        path: "workers/restart",
        node: "w-1",
        data: { verb: "run", module: "node.reboot" },
      }));
      await file.add(event("run.stopping", 120, {
        data: {
          reason: "stop",
          waiting: [
            { node: "w-1", until: "workers/restart" },
            { node: "w-2", until: "workers/back" },
          ],
        },
      }));
      await file.add(event("note", 121, { data: { message: "still" } }));
      await file.add(
        event("node.ended", 122, {
          path,
          node: "w-1",
          data: { state: "done" },
        }),
      );
      letGo();
    });
    const { out, err, status } = await stop("--wait");
    assert.equal(status, 0);
    assert.equal(
      err,
      `stopping after w-1 (rebooting), w-2
stopping after w-2
`,
    );
    assert.equal(
      out,
      "run 20261120-7k2f is stopped\nresume with: osctl runbook resume 20261120-7k2f\n",
    );
  }));

Deno.test("runbook stop --now is the second Ctrl-C, and leaves an interrupted run", () =>
  withRun([], async (folder, stop) => {
    const process = await fakeProcess(folder, (_, letGo) => letGo());
    await using _ = process;
    const { out } = await stop(`${id} --now --wait -o json`);
    assert.deepEqual(JSON.parse(out), {
      run: id,
      state: "interrupted",
      next: "osctl runbook resume 20261120-7k2f",
    });
    const [message] = process.taken;
    assert.equal(message?.type === "stop" && message.hard, true);
  }));

Deno.test("runbook stop --wait ends when the time is up, and says what is waited for", () =>
  withRun([], async (folder, stop) => {
    await using file = await openEventFile(folder, assert.fail);
    await using _ = await fakeProcess(
      folder,
      () =>
        file.add(event("run.stopping", 120, {
          data: { waiting: [{ node: "w-1", until: "workers/restart" }] },
        })),
    );
    const { err, status } = await stop("--wait --timeout 700ms");
    assert.equal(status, 4);
    assert.match(
      err,
      /^error: Run "20261120-7k2f" has not stopped: stopping after w-1\nhint: Stop at once with: osctl runbook stop 20261120-7k2f --now$/m,
    );
  }));

Deno.test("runbook stop of a run that no process has changes nothing", () =>
  withRun([{
    type: "run.end",
    data: { state: "succeeded", status: 0 },
  }], async (folder, stop) => {
    const { out, status } = await stop();
    assert.deepEqual([out, status], ["run 20261120-7k2f is succeeded\n", 0]);
    const left = await Array.fromAsync(Deno.readDir(`${folder}/inbox`));
    assert.deepEqual(left, []);
  }));
