/** Ends of runs that tests read. */

import type { RunReport } from "../../../../workflows/runbooks/event.ts";

/** A run in which nothing happened. */
export const empty: RunReport = {
  run: "20261120-7k2f",
  runbook: "rolling-upgrade",
  cluster: "prod",
  state: "succeeded",
  status: 0,
  startedAt: "2026-11-20T19:30:00.000Z",
  endedAt: "2026-11-20T19:40:53.000Z",
  targets: [],
  skipped: [],
  residue: [],
  artifacts: [],
  outputs: {},
};

/** A run with something in every bucket. */
export const full: RunReport = {
  ...empty,
  state: "partial",
  status: 3,
  targets: [
    { node: "cp-1", path: "controlplane", state: "done", tookMs: 105_000 },
    { node: "w-1", path: "workers", state: "done", tookMs: 350_000 },
    {
      node: "w-2",
      path: "workers",
      state: "failed",
      step: "workers/node/body/drain",
      code: "drain-blocked",
      message: "disruption budget shop/db\nallows no eviction",
      artifact: "artifacts/w-2-support.zip",
    },
    {
      node: "w-3",
      path: "workers",
      state: "recovered",
      step: "workers/node/body/back",
      code: "gate-timeout",
      message: "k8s.nodeReady: NotReady",
    },
    {
      node: "w-4",
      path: "workers",
      state: "blocked",
      step: "workers/node/body/restart",
      code: "in-doubt",
      message: "the connection broke after the call was sent",
    },
    {
      node: "w-5",
      path: "workers",
      state: "skipped",
      message: "dropped: being repaired",
    },
    {
      node: "w-6",
      path: "workers",
      state: "interrupted",
      step: "workers/node/body/restart",
    },
    { node: "w-7", path: "workers", state: "not-reached" },
  ],
  joined: ["w-8"],
  skipped: [{
    step: "workers/node/body/back",
    node: "w-1",
    reason: "INC-4711",
  }],
  residue: [{
    kind: "cordoned",
    node: "w-2",
    message: "w-2 is still cordoned",
  }],
  artifacts: ["artifacts/before-v1.14.1.snapshot"],
  outputs: { upgraded: 2, failed: ["w-2"], note: "see the ticket" },
  next: "osctl runbook resume 20261120-7k2f",
};
