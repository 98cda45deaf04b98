import assert from "node:assert/strict";
import { pause } from "../../../lib/pause.ts";
import type { RunEvent } from "../../../workflows/runbooks/event.ts";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { eventsPath } from "../../../workflows/runbooks/store/event_file.ts";
import { openRun } from "../../../workflows/runbooks/store/run_folder.ts";
import { run } from "../../_run.ts";
import { event } from "../../workflows/runbooks/report/_streams.ts";
import { makeRun, started } from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";

const id = "20261120-7k2f";

Deno.test("runbook watch needs a terminal, and names what does without", async () => {
  const { status, err } = await run("runbook watch");
  assert.equal(status, 2);
  assert.match(
    err,
    /Cannot watch a run: there is no terminal to draw on\n.*osctl runbook status --watch/,
  );
});

function toScreen(written: string): string {
  // deno-lint-ignore no-control-regex
  const text = written.replaceAll(/\x1b\[[\d;]*m/g, "");
  const last = text.split("\x1b[H\x1b[2J").at(-1) ?? "";
  // deno-lint-ignore no-control-regex
  const [frame = "", ...changes] = last.split(/\x1b\[(?=\d+;1H)/);
  const rows = frame.split("\r\n");
  for (const change of changes) {
    // deno-lint-ignore no-control-regex
    const [, row, line] = /^(\d+);1H\x1b\[2K([^\x1b]*)/.exec(change) ?? [];
    rows[Number(row) - 1] = line ?? "";
  }
  return rows.filter((row) => row.trim() !== "").slice(0, -1).join("\n");
}

const p = "workers";

/** One worker is done, the next one restarts. */
const begun: readonly NewRecord[] = [
  started,
  { type: "enter", path: p, node: "w-1", entry: 1 },
  {
    type: "node",
    path: p,
    node: "w-1",
    entry: 1,
    data: { state: "done", tookMs: 20_000 },
  },
  { type: "enter", path: p, node: "w-2", entry: 1 },
];

const planned = {
  data: { runbook: "demo", cluster: "prod", stages: [{ path: p }] },
};

const reported: readonly RunEvent[] = [
  event("run.planned", 0, planned),
  event("run.started", 1, { data: { runbook: "demo" } }),
  event("group.resolved", 3, {
    path: p,
    data: { nodes: ["w-1", "w-2"], maxUnavailable: 1, maxFailures: 0 },
  }),
  event("node.entered", 4, { path: p, node: "w-1" }),
  event("node.ended", 24, { path: p, node: "w-1", data: { state: "done" } }),
  event("node.entered", 25, { path: p, node: "w-2" }),
  event("step.start", 30, { path: "workers/restart", node: "w-2" }),
];

Deno.test("runbook watch shows a run as it is: interrupted when its process was killed, then what the next one does", () =>
  withHome(async (env) => {
    const runs = `${env.OS_HOME}/runs`;
    const folder = await makeRun(runs, { records: begun, events: reported });
    let written = "";
    let keys = (_text: string) => {};
    let now = Date.parse("2026-11-20T19:32:00Z");
    const watched = run("runbook watch --color never", {}, {
      env,
      // A timer that ticks would show at the next look.
      now: () => new Date(now += 1_000),
      columns: 80,
      keys: new ReadableStream({
        start(controller) {
          keys = (text) => controller.enqueue(new TextEncoder().encode(text));
        },
      }),
      onWrite(out) {
        written = out;
      },
    });
    async function shows(wanted: RegExp): Promise<string> {
      const end = Date.now() + 5_000;
      while (!wanted.test(toScreen(written))) {
        assert.ok(Date.now() < end, `${wanted}\n${toScreen(written)}`);
        await pause(20);
      }
      return toScreen(written);
    }
    await shows(/w-2 +interrupted/);
    // A key draws it again, seconds later by its clock.
    keys("j");
    assert.equal(
      await shows(/^> ✓ w-1/m),
      `demo on prod  interrupted 4s, since 19:30 UTC  run 20261120-7k2f
━━━━━━━━━━━━━━━━━━━━────────────────────  1 of 2 nodes
● workers 1/2
  ● w-2  interrupted in restart   0s
> ✓ w-1  done                    20s
Resume with: osctl runbook resume 20261120-7k2f
Abort with: osctl runbook abort 20261120-7k2f --reason "…"`,
    );
    const add = (...events: readonly RunEvent[]) =>
      Deno.writeTextFile(
        eventsPath(folder),
        events.map((one) => `${JSON.stringify(one)}\n`).join(""),
        { append: true },
      );
    {
      using open = await openRun(runs, id, () => new Date(now));
      await shows(/^demo on prod .* running/);
      await add(
        event("run.planned", 90, planned),
        event("run.resumed", 91, { data: { entry: 2 } }),
        event("node.entered", 92, { path: p, node: "w-2" }),
      );
      await shows(/w-2 +starting/);
      await open.journal.append({
        type: "run.end",
        data: { state: "succeeded", status: 0 },
      });
      // The process dies before it can report it.
    }
    await shows(/^demo on prod .* succeeded/);
    await add(
      event("node.ended", 99, {
        path: p,
        node: "w-2",
        data: { state: "done" },
      }),
      event("run.ended", 99, { data: { state: "succeeded", status: 0 } }),
    );
    assert.match(await shows(/w-2 +done/), /^demo on prod .* succeeded/);
    keys("q");
    assert.equal((await watched).status, 0);
  }));
