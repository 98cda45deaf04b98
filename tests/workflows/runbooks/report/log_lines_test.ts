import assert from "node:assert/strict";
import { runLog } from "../../../../workflows/runbooks/report/log_lines.ts";
import { RunState } from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";

/** Lines of the log, without their times. */
function log(...events: readonly RunEvent[]): readonly string[] {
  const state = new RunState();
  const { take } = runLog(state);
  return events.flatMap((one) => {
    state.take(one);
    return take(one).map((line) => line.slice(9));
  });
}

/** Events of a step on w-1. */
function step(
  id: string,
  data: { readonly module: string; readonly reads?: true },
) {
  const at = { path: `workers/body/${id}`, node: "w-1" };
  return {
    start: (second: number) =>
      event("step.start", second, { ...at, data: { verb: "run", ...data } }),
    says: (second: number, reason: string) =>
      event("step.progress", second, { ...at, data: { reason } }),
    done: (second: number, tookMs: number, changed?: false) =>
      event("step.done", second, {
        ...at,
        data: { tookMs, ...changed === false && { changed } },
      }),
  };
}

const read = step("before", { module: "node.system", reads: true });
const cordon = step("cordon", { module: "node.cordon" });
const drain = step("drain", { module: "node.drain" });
const install = step("install", { module: "upgrade.install" });

Deno.test("runLog has the question of an approval unless it was answered at once", () => {
  const asks = event("approval.requested", 1, {
    path: "go",
    data: { tag: "go", message: "Touch it?", destructive: false },
  });
  const answered = event("approval.answered", 1, {
    path: "go",
    data: { tag: "go", approved: true, by: "eve@desk" },
  });
  assert.deepEqual(log(asks, answered), ["approval go: approved by eve@desk"]);
  const waits = event("run.ended", 1, {
    data: { state: "waiting-approval", status: 76 },
  });
  assert.deepEqual(log(asks, waits), [
    "approval go: Touch it?; answer with: osctl runbook approve r1 go",
    "run r1 is waiting for an approval",
  ]);
});

Deno.test("runLog gives one line to a step that did something, and none to a brief one that did not", () => {
  assert.deepEqual(
    log(
      read.start(0),
      read.says(0, "reading the running version"),
      read.done(0, 40),
      cordon.start(0),
      cordon.done(0, 30),
      drain.start(0),
      drain.says(0, "w-1 is already cordoned"),
      drain.done(0, 20, false),
    ),
    ["w-1: cordoning: done in 0s"],
  );
});

Deno.test("runLog says what a step that takes time is doing", () => {
  assert.deepEqual(
    log(
      install.start(0),
      install.says(0, "pulling the image"),
      event("note", 2, { data: { message: "one moment" } }),
      install.says(3, "writing the image"),
      install.says(3, "updating the EFI variables"),
      install.says(4, "copying the boot loader"),
      install.done(4, 4_000),
      read.start(10),
      read.done(12, 2_000),
    ),
    [
      "w-1: pulling the image",
      "one moment",
      "w-1: writing the image",
      "w-1: copying the boot loader",
      "w-1: installing: done in 4s",
      "w-1: reading the version: done in 2s",
    ],
  );
});

Deno.test("runLog has the lines of steps that take a while without an event", () => {
  const state = new RunState();
  const { take, takeHeld } = runLog(state);
  const start = install.start(0);
  state.take(start);
  assert.deepEqual(take(start), []);
  const at = Date.parse(start.ts);
  assert.deepEqual(takeHeld(at + 999), []);
  assert.deepEqual(takeHeld(at + 1_000), ["19:30:00 w-1: installing"]);
  assert.deepEqual(takeHeld(at + 2_000), []);
});

Deno.test("runLog says which condition a skipped step of the runbook has", () => {
  const data = {
    reason: "when",
    title: "Drain the node",
    condition: "inputs.drain",
  };
  const inner = { path: "workers/body/drain", node: "w-1", data };
  const planned = event("run.planned", 0, {
    data: { runbook: "r", stages: [{ path: "drain", title: data.title }] },
  });
  assert.deepEqual(
    log(
      planned,
      event("step.skipped", 0, { path: "drain", data }),
      event("step.skipped", 0, inner),
    ).slice(1),
    ["Drain the node: skipped: its condition is false: inputs.drain"],
  );
});
