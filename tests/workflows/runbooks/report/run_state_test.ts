import assert from "node:assert/strict";
import {
  foldRun,
  RunState,
} from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { lineText } from "../../../../terminal/screen_line.ts";
import { drawRun } from "../../../../workflows/runbooks/report/run_screen.ts";
import { encodeRecord } from "../../../../workflows/runbooks/journal/record.ts";
import { eventsPath } from "../../../../workflows/runbooks/store/event_file.ts";
import {
  eventsIn,
  runbook,
  type RunHome,
  withRunHome,
} from "../../../commands/runbook/_home.ts";
import { event } from "./_streams.ts";
import { wholeRead } from "../_records.ts";

/** What the run itself says after events. */
function after(...events: readonly RunEvent[]) {
  return foldRun(events).shown();
}

Deno.test("RunState counts the time of a resumed run from its first process", () => {
  const state = new RunState("2026-11-20T19:00:00.000Z");
  state.take(event("run.resumed", 0));
  assert.equal(state.shown().startedAt, Date.UTC(2026, 10, 20, 19, 0));
});

Deno.test("RunState waits as a whole until something else happens", () => {
  const data = { reason: "the window opens at 20:00" };
  const waiting = event("run.waiting", 0, { data });
  const { state, reason } = after(waiting);
  assert.deepEqual([state, reason], ["waiting", "the window opens at 20:00"]);
  const on = after(waiting, event("step.start", 1, { path: "a" }));
  assert.deepEqual([on.state, on.reason], ["running", ""]);
});

Deno.test("RunState waits for a stopping node as long as it starts further steps", () => {
  const start = (path: string, node: string, second: number) =>
    event("step.start", second, {
      path,
      node,
      data: { verb: "run", module: "node.reboot" },
    });
  const at = { path: "a/install", node: "w-1" };
  const { stopping } = after(
    event("node.entered", 0, { path: "a", node: "w-1" }),
    event("run.stopping", 1, {
      data: { waiting: [{ node: "w-1", until: at.path }] },
    }),
    event("step.done", 2, at),
    start("a/restart", "w-1", 2),
  );
  assert.deepEqual(stopping, [
    { node: "w-1", until: "a/restart", doing: "rebooting" },
  ]);
});

Deno.test("RunState stops until it ends", () => {
  const waiting = [{ node: "w-1", until: "a/b" }];
  const stop = event("run.stopping", 0, {
    data: { reason: "interrupt", waiting },
  });
  const stopping = after(stop, event("note", 1));
  assert.deepEqual([stopping.state, stopping.reason], [
    "stopping",
    "interrupt",
  ]);
  assert.deepEqual(stopping.stopping, waiting);
  const end = after(
    stop,
    event("run.ended", 2, { data: { state: "stopped" } }),
  );
  assert.deepEqual([end.state, end.reason, end.stopping], [
    "stopped",
    "",
    undefined,
  ]);
});

Deno.test("RunState waits for all that are inside when a stop names nobody", () => {
  const path = "workers";
  const { stopping } = after(
    event("node.entered", 0, { path, node: "w-1" }),
    event("node.entered", 0, { path, node: "w-2" }),
    event("node.ended", 1, { path, node: "w-2", data: { state: "done" } }),
    event("run.stopping", 2),
  );
  assert.deepEqual(stopping, [{ node: "w-1", until: "" }]);
});

Deno.test("RunState continues when another process takes the run up", () => {
  const state = new RunState();
  state.take(event("run.started", 0));
  state.take(event("run.ended", 5, { data: { state: "stopped" } }));
  state.take(event("run.resumed", 60, { data: { runbook: "r" } }));
  const { state: is, ended, startedAt } = state.shown();
  assert.deepEqual(
    [is, ended, startedAt],
    ["running", undefined, Date.UTC(2026, 10, 20, 19, 30)],
  );
});

/** What is drawn of a run, but how long it takes. */
function draw(events: readonly RunEvent[]): readonly string[] {
  const now = Date.parse(events.at(-1)?.ts ?? "");
  const size = { columns: 99, rows: 50 };
  const [, ...lines] = drawRun(after(...events), size, now).map(lineText);
  return lines.map((line) => line.replaceAll(/,? +\d+s$/g, ""));
}

/** Fails on the second worker until it is told otherwise. */
const failing = runbook(
  `  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - id: right
        assert:
          that: node.name != "simulated-worker-2" || inputs.fixed
          message: "It is not"
  - id: later
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: uncordon, run: node.uncordon }]
`,
  "inputs: { fixed: { type: bool, default: false, mutable: true } }\n",
);

/** Lets nodes have run another version when the run was started. */
async function upgradeSince(home: RunHome, path: string): Promise<void> {
  const records = await home.journal();
  let h = "00000000";
  const lines = records.map((record) => {
    const { type, data } = record;
    const versions = { "simulated-worker-1": "v1.12.10" };
    const known = type === "run.start"
      ? { ...record, data: { ...data, versions } }
      : record;
    const { line, checksum } = encodeRecord(
      wholeRead({ ...known, previous: h }),
    );
    h = checksum;
    return `${line}\n`;
  });
  await Deno.writeTextFile(path, lines.join(""));
}

Deno.test("RunState: a watcher of the earlier process sees the same as one of the resumed run", () =>
  withRunHome(async (home) => {
    const { osctl } = home;
    const file = await home.write(failing);
    const first = await osctl(["runbook", "run", file]);
    assert.notEqual(first.status, 0);
    const [id = ""] = await home.ids();
    const folder = `${home.home}/runs/${id}`;
    await upgradeSince(home, `${folder}/journal.jsonl`);
    // The cluster would know that the journal is another one.
    const unlock = ["--typed", id, "--reason", "the journal was changed"];
    const unlocked = await osctl(["runbook", "unlock", id, ...unlock]);
    assert.equal(unlocked.status, 0, unlocked.err);
    const path = eventsPath(folder);
    const before = eventsIn(await Deno.readTextFile(path));
    assert.equal(draw(before)[1], "✗ workers 2/2  ○ later 0/2");
    const second = await osctl([
      "runbook",
      "resume",
      id,
      "--set",
      "fixed=true",
    ]);
    assert.equal(second.status, 0, second.err);
    const all = eventsIn(await Deno.readTextFile(path));
    const later = all.slice(before.length);
    for (const i of later.keys()) {
      const seen = later.slice(0, i + 1);
      assert.deepEqual(draw([...before, ...seen]), draw(seen));
    }
    const at = later.findIndex(({ type }) => type === "node.entered");
    assert.deepEqual(draw(later.slice(0, at + 1)), [
      "━━━━━━━━━━──────────────────────────────  0 of 2 nodes, less than a minute left",
      "● workers 1/2  ○ later 0/2",
      "",
      "○ simulated-worker-1  queued    v1.12.10 → v1.12.11",
      "● simulated-worker-2  starting  v1.12.11",
    ]);
    const done = later.findIndex(({ type, path }) =>
      type === "step.done" && path === "workers"
    );
    assert.equal(
      draw(later.slice(0, done + 1))[1],
      "✓ workers 2/2  ○ later 0/2",
    );
  }));
