import assert from "node:assert/strict";
import { lineText } from "../../../../terminal/screen_line.ts";
import {
  draw as drawScreen,
  press,
  type WatchState,
} from "../../../../workflows/runbooks/report/watch_screen.ts";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event, goldenStream } from "./_streams.ts";

const begun = Date.UTC(2026, 10, 20, 19, 30);
const size = { columns: 100, rows: 14 };
const keys =
  "j/k select  enter details  a approve  r refuse  x skip step  s stop  q quit";

function draw(
  ...[state, room, now]: Parameters<typeof drawScreen>
): readonly string[] {
  return drawScreen(state, room, now).map(lineText);
}

function foldState(events: readonly RunEvent[]): WatchState {
  const state = foldRun(events);
  return {
    run: state.shown(),
    events,
    instances: state.instances,
    words: state.words(),
    isRunning: true,
    node: "",
    isOpen: false,
    message: "",
  };
}

/** The state after keys. */
function after(state: WatchState, ...pressed: readonly string[]): WatchState {
  return pressed.reduce((before, key) => {
    const next = press(before, key);
    assert.ok(next !== undefined);
    return next;
  }, state);
}

async function until(second: number): Promise<WatchState> {
  const events = await goldenStream("partial");
  return foldState(
    events.filter(({ ts }) => Date.parse(ts) <= begun + second * 1_000),
  );
}

Deno.test("draw lists the most urgent nodes first and marks the selected one, which keys move", async () => {
  const state = await until(455);
  assert.deepEqual(draw(state, size, begun + 460_000), [
    "rolling-upgrade on prod  running 7m40s, since 19:30 UTC  run 20261120-7k2f",
    "━━━━━━━━━━━━━━━━────────────────────────  2 of 5 nodes, 1 failed, up to 4m left",
    "✓ 4 done  ● Upgrade workers 1/4  ○ Check the result",
    "",
    "> ✗ w-2   failed while draining: disruption budget shop/db allows no eviction   5m1s",
    "  ● w-1   rebooting                                                            5m10s",
    "  ○ w-3   queued",
    "  ○ w-4   queued",
    "  ✓ cp-1  done                                                                 1m45s",
    "",
    "Next: w-3, when w-1 is done; 1 of 2 allowed failures",
    "",
    "",
    keys,
  ]);
  const moved = after(state, "j", "\x1b[B", "k");
  assert.equal(draw(moved, size, begun)[5]?.slice(0, 7), "> ● w-1");
  assert.equal(after(state, "k", "k").node, "w-2");
});

Deno.test("draw shows the steps, the evidence and the end of the log of the selected node", async () => {
  const artifact = "artifacts/w-2-support.zip";
  const path = "workers/node/body/drain";
  const data = { code: "drain-blocked", message: "no eviction", artifact };
  const state = foldState([
    event("node.entered", 0, { path: "workers", node: "w-2" }),
    event("step.start", 1, {
      path,
      node: "w-2",
      data: { verb: "run", module: "node.drain" },
    }),
    event("step.failed", 9, { path, node: "w-2", data }),
    event("node.entered", 9, { path: "workers", node: "w-3" }),
  ]);
  const open = after({ ...state, node: "w-2" }, "\r");
  assert.deepEqual(draw(open, size, begun + 9_000).slice(4, -2), [
    "● w-2  draining: no eviction  9s",
    "Steps",
    "  ✗ draining: no eviction",
    "Evidence",
    "  artifacts/w-2-support.zip",
    "Log",
    "  19:30:01 w-2: draining",
    "  19:30:09 w-2: failed while draining: no eviction; see artifacts/w-2-support.zip",
  ]);
  assert.equal(after(open, "\x1b").isOpen, false);
  await Promise.resolve();
});

Deno.test("draw leaves out the steps of the selected node whose condition does not hold", () => {
  const node = "w-2";
  const path = "workers/node/body";
  const skipped = (id: string, reason: string) =>
    event("step.skipped", 2, { path: `${path}/${id}`, node, data: { reason } });
  const state = foldState([
    event("node.entered", 0, { path: "workers", node }),
    event("step.start", 0, {
      path: `${path}/ready`,
      node,
      data: { verb: "gate" },
    }),
    event("step.done", 1, { path: `${path}/ready`, node }),
    skipped("legacy", "when"),
    skipped("drain", "by ops: no pods"),
    event("step.start", 3, {
      path: `${path}/install`,
      node,
      data: { verb: "run", module: "upgrade.install" },
    }),
  ]);
  const room = { columns: 80, rows: 30 };
  const drawn = draw(after({ ...state, node }, "\r"), room, begun + 9_000);
  const at = drawn.indexOf("Steps");
  assert.deepEqual(drawn.slice(at, drawn.indexOf("Log")), [
    "Steps",
    "  ✓ checking",
    "  – drain: by ops: no pods",
    "  ● installing",
  ]);
});

Deno.test("press answers the open question after a second key, and nothing else", () => {
  const ask = (destructive: boolean) =>
    foldState([
      event("run.started", 0),
      event("approval.requested", 1, {
        path: "go",
        data: { tag: "go", message: "Touch it?", destructive },
      }),
    ]);
  const asked = after(ask(false), "a");
  assert.equal(
    draw(asked, size, begun).at(-2),
    'Touch it? Approve "go"? (y/n)',
  );
  assert.deepEqual(after(asked, "y").action, {
    kind: "answer",
    tag: "go",
    approved: true,
  });
  assert.deepEqual(after(ask(true), "r", "y").action, {
    kind: "answer",
    tag: "go",
    approved: false,
  });
  assert.equal(after(asked, "n").action, undefined);
  assert.equal(
    after(ask(true), "a").message,
    "Data may be lost: approve with osctl runbook approve r1 go",
  );
  assert.equal(after(foldState([]), "a").message, "No approval is requested");
});

Deno.test("draw asks nothing any more once the process of the run has died", () => {
  const state = foldState([
    event("run.started", 0),
    event("approval.requested", 1, {
      path: "go",
      data: { tag: "go", message: "Touch it?", destructive: false },
    }),
  ]);
  const dead = { ...after(state, "a"), isRunning: false };
  assert.deepEqual(draw(dead, size, begun).slice(-2), [
    "",
    "j/k select  enter details  q quit",
  ]);
  assert.equal(after(dead, "y").action, undefined);
});

Deno.test("press skips the step a node is at, for a reason that is typed", () => {
  const path = "workers/drain";
  const state = foldState([
    event("node.entered", 0, { path: "workers", node: "w-1" }),
    event("step.start", 1, {
      path,
      node: "w-1",
      data: { verb: "run", module: "node.drain" },
    }),
  ]);
  const typing = after(state, "x", ..."by hadn", "\x7f", "\x7f", ..."nd");
  assert.equal(
    draw(typing, size, begun).at(-2),
    'Skip "draining" on w-1, because: by hand_',
  );
  const reason = "by hand";
  assert.deepEqual(after(typing, "\r").action, {
    kind: "skip",
    path,
    node: "w-1",
    reason,
  });
  assert.equal(
    after(state, "x", "\r").message,
    "Nothing was done: a reason is required",
  );
  assert.equal(after(typing, "\x1b").message, "Nothing was done");
  const done = [...state.events, event("step.done", 2, { path, node: "w-1" })];
  assert.equal(
    after(foldState(done), "x").message,
    "No step is in progress on w-1",
  );
});

Deno.test("press stops the run after a second key, and does nothing to a run without a process", () => {
  const state = foldState([event("run.started", 0)]);
  assert.deepEqual(after(state, "s", "y").action, { kind: "stop" });
  assert.equal(
    after({ ...state, isRunning: false }, "s").message,
    "The run is not in progress",
  );
  assert.equal(press(state, "q"), undefined);
  assert.equal(after(state, "z"), state);
});

Deno.test("draw fits any size", async () => {
  const state = await until(455);
  for (const rows of [3, 6, 10, 24, 60]) {
    for (const shown of [state, after(state, "\r")]) {
      const lines = draw(shown, { columns: 80, rows }, begun);
      assert.ok(lines.length <= Math.max(6, rows), `${rows}: ${lines.length}`);
    }
  }
});

Deno.test("draw shows all of a long question, and where the rows of many nodes end", () => {
  const nodes = Array.from({ length: 500 }, (_, i) => ({
    node: `worker-${i + 1}`,
    role: "worker",
    version: "v1.12.11",
  }));
  const names = nodes.map(({ node }) => node);
  const message = `Shut down all ${names.length} workers of production? ` +
    "Their pods move to other clusters, which takes about an hour";
  const state = foldState([
    event("run.planned", 0, {
      data: { nodes, fanOuts: [{ path: "workers", nodes: names }] },
    }),
    event("node.entered", 1, { path: "workers", node: "worker-9" }),
    event("node.ended", 2, {
      path: "workers",
      node: "worker-9",
      data: { state: "failed", message: "no eviction" },
    }),
    event("approval.requested", 3, {
      path: "go",
      data: { tag: "go", message, destructive: false },
    }),
  ]);
  const small = { columns: 60, rows: 16 };
  assert.deepEqual(draw(after(state, "j", "a"), small, begun), [
    "r1  running 0s, since 19:30 UTC",
    "──────────────────────────────────  1 of 500 nodes, 1 failed",
    "● workers 1/500  ● go",
    "500 nodes: 1 failed, 499 queued",
    "  ✗ worker-9  failed: no eviction  v1.12.11  1s",
    "> ○ worker-1  queued               v1.12.11",
    "  ○ worker-2  queued               v1.12.11",
    'Approval "go": Shut down all 500 workers of production?',
    "  Their pods move to other clusters, which takes about an",
    "  hour",
    "  a approves, r refuses",
    "",
    "Shut down all 500 workers of production? Their pods move to",
    '  other clusters, which takes about an hour Approve "go"?',
    "  (y/n)",
    keys,
  ]);
});
