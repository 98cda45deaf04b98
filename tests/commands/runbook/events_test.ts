import assert from "node:assert/strict";
import { eventSchema } from "../../../workflows/runbooks/report/event_schema.ts";
import { run } from "../../_run.ts";
import { openEventFile } from "../../../workflows/runbooks/store/event_file.ts";
import { withFolder } from "../../_folder.ts";
import { event } from "../../workflows/runbooks/report/_streams.ts";
import { holdRun, makeRun } from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";

const file = new URL(
  "../../workflows/runbooks/report/golden/stopped.jsonl",
  import.meta.url,
).pathname;

Deno.test("runbook events prints what a run told", async () => {
  const { out, status } = await run(["runbook", "events", file]);
  assert.equal(status, 0);
  assert.deepEqual(out.split("\n").slice(0, 3), [
    "20:30:00 run 20261120-7k2f resumed",
    "20:30:01 waiting: the window opens on Monday at 20:00",
    "20:30:02 workers: 2 nodes: w-1, w-2",
  ]);
  assert.doesNotMatch(out, /\n\n|undefined/);
});

Deno.test("runbook events --schema prints the JSON Schema, in any format", async () => {
  for (const format of [[], ["-o", "json"]]) {
    const { out, status } = await run([
      "runbook",
      "events",
      "--schema",
      ...format,
    ]);
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(out), eventSchema());
  }
});

Deno.test("runbook events prints what runs told, over all their processes", () =>
  withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    const none = await run("runbook events", {}, { env });
    assert.equal(none.status, 2);
    assert.match(none.err, /^error: There are no runs$/m);
    const events = [
      event("run.started", 0),
      event("run.ended", 1, { data: { state: "stopped" } }),
      event("run.resumed", 9),
    ];
    await makeRun(runs, { events });
    for (const word of ["", "last", "7k2f", "20261120-7k2f"]) {
      const { out, status } = await run(`runbook events ${word}`, {}, { env });
      assert.equal(status, 0);
      assert.equal(
        out,
        "19:30:00 run r1 started\n19:30:01 run r1 stopped at a safe point\n19:30:09 run r1 resumed\n",
      );
    }
  }));

Deno.test("runbook events --follow continues until the process has let go of the run", () =>
  withHome(async (env) => {
    const folder = await makeRun(`${env.OS_HOME}/runs`, {
      events: [event("run.started", 0)],
    });
    const held = await holdRun(folder);
    await using file = await openEventFile(folder, assert.fail);
    const { out } = await run("runbook events last -f", {}, {
      env,
      async onWrite(out) {
        if (out.includes("note")) return;
        await file.add(event("note", 1, { data: { message: "a note" } }));
        held[Symbol.dispose]();
      },
    });
    assert.equal(out, "19:30:00 run r1 started\n19:30:01 a note\n");
  }));

Deno.test("runbook events --follow reads a file until the run in it has ended", () =>
  withFolder({
    "run.jsonl": `${JSON.stringify(event("run.started", 0))}\n`,
  }, async (folder) => {
    const path = `${folder}/run.jsonl`;
    const { out } = await run(["runbook", "events", "-f", path], {}, {
      async onWrite(out) {
        if (out.includes("succeeded")) return;
        const line = JSON.stringify(event("run.ended", 1, {
          data: { state: "succeeded" },
        }));
        await Deno.writeTextFile(path, `${line}\n`, { append: true });
      },
    });
    assert.equal(
      out,
      "19:30:00 run r1 started\n19:30:01 run r1 succeeded\n",
    );
  }));

Deno.test("runbook events refuses what is not a file of events", async () => {
  for (
    const path of [
      "/dev/null/x",
      "/no/such/file",
      import.meta.dirname ?? "",
      import.meta.filename ?? "",
    ]
  ) {
    const { err, status } = await run(["runbook", "events", path]);
    assert.equal(status, 2, err);
    assert.ok(err.startsWith(`error: Cannot read "${path}": `), err);
  }
});
