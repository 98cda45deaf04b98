import assert from "node:assert/strict";
import {
  accountOf,
  leavesOf,
} from "../../../../workflows/runbooks/report/instances.ts";
import { event, goldenStream } from "./_streams.ts";

const path = "workers/node/restart";

Deno.test("accountOf has each step on each node once, with its last end", () => {
  const { instances } = accountOf([
    event("step.start", 1, { path, node: "w-1", attempt: 1 }),
    event("step.waiting", 2, { path, node: "w-1", data: { reason: "S2" } }),
    event("step.waiting", 3, { path, node: "w-1", data: { reason: "S2" } }),
    event("step.failed", 4, {
      path,
      node: "w-1",
      data: { code: "unavailable", message: "refused" },
    }),
    event("step.start", 9, { path, node: "w-1", attempt: 1 }),
    event("step.progress", 9, { path, node: "w-1", data: { unavailable: 1 } }),
    event("step.done", 10, { path, node: "w-1" }),
    event("step.skipped", 10, { path, node: "w-2", data: { reason: "no" } }),
  ]);
  assert.deepEqual(instances, [
    {
      path,
      node: "w-1",
      state: "done",
      startedAt: "2026-11-20T19:30:01.000Z",
      ended: "2026-11-20T19:30:10.000Z",
      reported: ["waiting: S2"],
    },
    {
      path,
      node: "w-2",
      state: "skipped",
      startedAt: "2026-11-20T19:30:10.000Z",
      ended: "2026-11-20T19:30:10.000Z",
      message: "no",
      reported: [],
    },
  ]);
});

Deno.test("accountOf says how each node of a fan-out ended, and how the run did", async () => {
  const account = accountOf(await goldenStream("partial"));
  const { passages, runbook, cluster, state } = account;
  assert.deepEqual({ runbook, cluster, state }, {
    runbook: "rolling-upgrade",
    cluster: "prod",
    state: "partial",
  });
  assert.deepEqual(
    passages.map(({ path, node, state, code }) => [path, node, state, code]),
    [
      ["controlplane", "cp-1", "done", undefined],
      ["workers", "w-1", "done", undefined],
      ["workers", "w-2", "failed", "drain-blocked"],
      ["workers", "w-3", "recovered", "gate-timeout"],
      ["workers", "w-4", "not-reached", undefined],
    ],
  );
});

Deno.test("accountOf leaves a step in doubt open in time", () => {
  const { instances, runbook, state } = accountOf([
    event("step.in-doubt", 1, { path, node: "w-1", data: { message: "lost" } }),
  ]);
  assert.deepEqual([runbook, state], ["run", ""]);
  const [{ state: doubt, ended, message } = { state: "", message: "" }] =
    instances as readonly {
      readonly state: string;
      readonly ended?: string;
      readonly message?: string;
    }[];
  assert.deepEqual([doubt, ended, message], ["indoubt", undefined, "lost"]);
});

Deno.test("leavesOf omits the steps that hold others", () => {
  const { instances } = accountOf(
    ["workers", "workers/node", path, "final", "final2"].map((path) =>
      event("step.start", 1, { path })
    ),
  );
  assert.deepEqual(leavesOf(instances).map(({ path }) => path), [
    path,
    "final",
    "final2",
  ]);
});
