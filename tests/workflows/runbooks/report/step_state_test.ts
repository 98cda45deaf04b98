import assert from "node:assert/strict";
import type { Json } from "../../../../lib/json.ts";
import { foldStages } from "../../../../workflows/runbooks/report/step_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event, goldenStream } from "./_streams.ts";

const since = Date.UTC(2026, 10, 20, 19, 30);

/** The last step after events. */
function after(...events: readonly RunEvent[]) {
  const { take, shown } = foldStages();
  for (const one of events) take(one);
  return shown().at(-1);
}

const path = "snapshot";
const started = event("step.start", 0, { path });
const on = { path, at: path, since, fanOut: false } as const;

Deno.test("foldStages has the steps of the plan, each with its end", async () => {
  const { take, shown } = foldStages();
  for (const one of await goldenStream("partial")) take(one);
  assert.deepEqual(
    shown().map(({ path, state, fanOut }) => [path, state, fanOut]),
    [
      ["preflight", "done", false],
      ["snapshot", "done", false],
      ["go", "done", false],
      ["controlplane", "done", true],
      ["workers", "done", true],
      ["final", "next", false],
    ],
  );
});

Deno.test("foldStages knows what a step waits for, and since when it continues", () => {
  const wait = (second: number, reason: string) =>
    event("step.waiting", second, { path, data: { reason } });
  assert.deepEqual(after(started), { ...on, state: "running", text: "" });
  assert.deepEqual(after(started, wait(3, "a"), wait(7, "b")), {
    ...on,
    state: "waiting",
    text: "b",
  });
});

Deno.test("foldStages knows that a human is waited for", () => {
  const data = { tag: "start", message: "Go?" };
  const asked = event("approval.requested", 0, { path, data });
  const answered = event("approval.answered", 2, { path, data });
  assert.deepEqual(after(asked), {
    ...on,
    state: "waiting",
    text: "an approval",
  });
  assert.deepEqual(after(asked, answered), {
    ...on,
    state: "running",
    text: "",
  });
});

Deno.test("foldStages shows progress and why a step is tried again", () => {
  const progress = event("step.progress", 1, {
    path,
    data: { reason: "1 MiB" },
  });
  const empty = event("step.progress", 1, { path });
  const data = { code: "unavailable", waitMs: 5_000 };
  const retry = event("step.retry", 1, { path, data });
  assert.equal(after(started, progress, empty)?.text, "1 MiB");
  assert.equal(after(started, retry)?.text, "unavailable, again in 5s");
});

Deno.test("foldStages ends a step only when all of it has ended", () => {
  const inner = "snapshot/inner";
  const startedAt = event("step.start", 0, { path: inner });
  const skipped = event("step.skipped", 1, { path: inner });
  assert.deepEqual(after(startedAt), {
    ...on,
    at: inner,
    state: "running",
    text: "",
  });
  assert.equal(after(startedAt, skipped)?.state, "running");
  const failed = event("step.failed", 1, { path });
  assert.equal(after(startedAt, skipped, failed)?.state, "failed");
});

Deno.test("foldStages leaves to the nodes what is running on them", () => {
  const node = "w-1";
  const stage = after(
    event("node.queued", 0, { path: "workers", node }),
    event("step.start", 1, { path: "workers/node/restart", node }),
    event("lock.lost", 1),
  );
  assert.deepEqual(stage, {
    path: "workers",
    state: "running",
    at: "",
    text: "",
    fanOut: true,
  });
});

Deno.test("foldStages knows what has ended before the run was taken up", () => {
  const state = foldStages();
  const stages: Json = [
    { path: "a", verb: "run", state: "done" },
    { path: "b", verb: "run", state: "skipped" },
    { path: "c", verb: "run" },
  ];
  state.take(event("run.planned", 0, { data: { stages } }));
  assert.deepEqual(
    state.shown().map((one) => one.state),
    ["done", "skipped", "next"],
  );
});
