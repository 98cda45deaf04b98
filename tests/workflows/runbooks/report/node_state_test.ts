import assert from "node:assert/strict";
import { formatActivity } from "../../../../workflows/runbooks/report/activity.ts";
import { foldNodes } from "../../../../workflows/runbooks/report/node_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";

const node = "w-1";
const path = "workers/node/body/restart";
const startedAt = Date.UTC(2026, 10, 20, 19, 30);
const entered = event("node.entered", 1, { path: "workers", node });
const started = event("step.start", 5, { path, node });

/** The node after events. */
function after(...events: readonly RunEvent[]) {
  const { take, shown } = foldNodes(new Map([[path, "rebooting"]]));
  for (const one of events) take(one);
  const [first, ...others] = shown();
  assert.deepEqual([first?.node, others], [node, []]);
  return first;
}

const atRestart = {
  node,
  path: "workers",
  step: "restart",
  doing: "rebooting",
  since: startedAt + 5_000,
  startedAt: startedAt + 1_000,
};

Deno.test("foldNodes shows why a step is tried again, failed or is in doubt", () => {
  const data = { code: "unavailable", message: "connection refused" };
  for (const type of ["step.retry", "step.failed"] as const) {
    const failed = event(type, 6, { path, node, data });
    assert.deepEqual(after(entered, started, failed), {
      ...atRestart,
      state: "running",
      text: "connection refused",
    });
  }
  const doubt = event("step.in-doubt", 6, { path, node, data });
  const shown = after(entered, started, doubt);
  assert.equal(shown?.text, "in doubt: connection refused");
});

Deno.test("foldNodes shows where a node was interrupted, and between two steps only that it was", () => {
  const ended = event("run.ended", 9, { data: { state: "stopped" } });
  const done = event("step.done", 6, { path, node });
  assert.deepEqual(after(entered, started, ended), {
    ...atRestart,
    state: "interrupted",
    text: "",
    ended: startedAt + 9_000,
  });
  const between = after(entered, started, done, ended);
  assert.deepEqual(
    [between?.state, between?.step, between?.doing],
    ["interrupted", "", ""],
  );
});

Deno.test("foldNodes calls a node done only when no other runbook can have steps for it", () => {
  const planned = event("run.planned", 0, {
    data: {
      stages: [{ path: "config", verb: "use" }, { path: "os", verb: "use" }],
    },
  });
  const events = ["config/backup", "config/workers", "os/workers"].map((
    path,
    i,
  ) => [
    event("node.entered", 10 * i, { path, node }),
    event("node.ended", 10 * i + 5, { path, node, data: { state: "done" } }),
  ]);
  const [backup = [], config = [], os = []] = events;
  const ended = (path: string) => event("step.done", 50, { path });
  const state = (...all: readonly RunEvent[]) => after(planned, ...all)?.state;
  assert.equal(state(...backup), "queued");
  assert.equal(state(...backup, ...config, ended("config")), "queued");
  const last = [...backup, ...config, ended("config"), ...os];
  assert.equal(state(...last), "queued");
  assert.equal(state(...last, ended("os")), "done");
  const skipped = event("step.skipped", 51, { path: "os" });
  assert.equal(state(...backup, ended("config"), skipped), "done");
});

Deno.test("foldNodes counts the time of a resumed node from its start in an earlier process", () => {
  const data = { startedAt: "2026-11-20T19:00:00.000Z" };
  const resumed = event("node.entered", 1, { path: "workers", node, data });
  const shown = after(resumed, started);
  assert.deepEqual([shown?.startedAt, shown?.since], [
    Date.UTC(2026, 10, 20, 19),
    startedAt + 5_000,
  ]);
});

Deno.test("foldNodes shows the time of nodes that an earlier process has finished", () => {
  const done = [{ node, tookMs: 14_000 }];
  const fanOut = { path: "workers", nodes: [node], done };
  for (const one of [{ ...fanOut, state: "done" }, fanOut]) {
    const planned = event("run.planned", 0, { data: { fanOuts: [one] } });
    assert.deepEqual(after(planned), {
      node,
      path: "workers",
      state: "done",
      step: "",
      doing: "",
      text: "",
      startedAt: 0,
      ended: 14_000,
    });
  }
});

Deno.test("foldNodes knows the version of a node when a step has read it, and not after a step that may change it", () => {
  const planned = event("run.planned", 0, {
    data: { nodes: [{ node, role: "worker", version: "v1.12.0" }] },
  });
  const at = { path: "workers/node/body/verify", node };
  const read = event("step.done", 6, { ...at, data: { version: "v1.12.4" } });
  const reboot = event("step.start", 7, {
    path,
    node,
    data: { verb: "run", module: "node.reboot" },
  });
  const versions = (...events: readonly RunEvent[]) => {
    const shown = after(planned, entered, ...events);
    return [shown?.from, shown?.to, shown?.isVersionUnknown];
  };
  assert.deepEqual(versions(), ["v1.12.0", undefined, undefined]);
  assert.deepEqual(versions(reboot), ["v1.12.0", undefined, true]);
  assert.deepEqual(versions(reboot, read), ["v1.12.0", "v1.12.4", undefined]);
  assert.deepEqual(versions(read, reboot), ["v1.12.0", undefined, true]);
});

Deno.test("a node that waits shows for how much longer, if that is known, and one that tries again when", () => {
  const until = "2026-11-20T19:32:00.000Z";
  const soaking = event("step.waiting", 6, {
    path,
    node,
    data: { reason: "soaking for 2m; checks pass", until },
  });
  const retry = event("step.retry", 6, {
    path,
    node,
    data: { code: "busy", message: "etcd is busy", waitMs: 30_000 },
  });
  const activities = (events: readonly RunEvent[], seconds: number[]) => {
    const shown = after(entered, started, ...events);
    assert.ok(shown);
    return seconds.map((second) =>
      formatActivity(shown, startedAt + second * 1_000)
    );
  };
  assert.deepEqual(activities([soaking], [40, 119.5, 120]), [
    "soaking, 1m20s left",
    "soaking, 1s left",
    "soaking for 2m; checks pass",
  ]);
  assert.deepEqual(activities([retry], [6, 36]), [
    "rebooting: etcd is busy; again in 30s",
    "rebooting: etcd is busy",
  ]);
  const ready = event("step.waiting", 7, {
    path,
    node,
    data: { reason: "Ready" },
  });
  assert.deepEqual(activities([soaking, ready], [40]), ["waiting: Ready"]);
});
