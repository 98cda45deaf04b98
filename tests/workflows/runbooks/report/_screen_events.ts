/** Events of runs on four nodes and on many, and their screens. */

import {
  type RunShown,
} from "../../../../workflows/runbooks/report/run_state.ts";
import { drawRun } from "../../../../workflows/runbooks/report/run_screen.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { lineText } from "../../../../terminal/screen_line.ts";
import type { Details } from "../_records.ts";
import { event } from "./_streams.ts";

export const startedAt = Date.UTC(2026, 10, 20, 19, 30);

/** Text on the screen of a run, some seconds after its start. */
export function screen(
  run: RunShown,
  second: number,
  columns = 80,
  rows = 24,
): readonly string[] {
  return drawRun(run, { columns, rows }, startedAt + second * 1_000)
    .map(lineText);
}

export const path = { canary: "canary", planes: "planes", workers: "workers" };

const modules = {
  drain: "node.drain",
  install: "upgrade.install",
  restart: "node.reboot",
} as const;

/** A step on a node has started. */
export function starts(
  step: keyof typeof modules,
  second: number,
  at: { readonly path: string; readonly node: string },
): RunEvent {
  const data = { verb: "run", module: modules[step] };
  return event("step.start", second, {
    ...at,
    path: `${at.path}/body/${step}`,
    data,
  });
}

/** Four nodes; one worker goes first. `earlier`: stages that a process before has finished. */
export function plan(
  second: number,
  earlier: readonly string[] = [],
): RunEvent {
  const stages: readonly Details[] = [
    { path: "check", title: "Check the cluster", verb: "gate" },
    { path: path.canary, title: "Upgrade one worker", verb: "forEach" },
    { path: "go", verb: "approve" },
    { path: path.planes, title: "Upgrade control planes", verb: "forEach" },
    { path: path.workers, title: "Upgrade workers", verb: "forEach" },
  ];
  const fanOuts = [
    { path: path.canary, nodes: ["w-1"] },
    { path: path.planes, nodes: ["cp-1"] },
    { path: path.workers, nodes: ["w-2", "w-3"] },
  ];
  const state = (at: string): Details =>
    earlier.includes(at) ? { state: "done" } : {};
  return event("run.planned", second, {
    data: {
      runbook: "roll",
      title: "Upgrade nodes",
      cluster: "prod",
      nodes: ["cp-1", "w-1", "w-2", "w-3"].map((node) => ({
        node,
        role: node === "cp-1" ? "controlplane" : "worker",
        version: "v1.12.0",
        ...earlier.length > 0 && node === "w-1" && { current: "v1.12.4" },
      })),
      fanOuts: fanOuts.map((one) => ({
        ...one,
        disrupts: true,
        ...state(one.path),
      })),
      stages: stages.map((one) => ({ ...one, ...state(String(one.path)) })),
    },
  });
}

/** The first worker is upgraded in 90 seconds; then an approval is requested. */
export const begun: readonly RunEvent[] = [
  plan(0),
  event("step.start", 0, { path: "check", data: { verb: "gate" } }),
  event("step.done", 4, { path: "check" }),
  event("group.resolved", 4, {
    path: path.canary,
    data: { nodes: ["w-1"], atOnce: 1, maxUnavailable: 1, maxFailures: 0 },
  }),
  event("node.entered", 4, { path: path.canary, node: "w-1" }),
  starts("drain", 5, { path: path.canary, node: "w-1" }),
  event("step.progress", 6, {
    path: "canary/body/drain",
    node: "w-1",
    data: { reason: "draining, 3 pods left" },
  }),
  starts("restart", 30, { path: path.canary, node: "w-1" }),
  event("node.ended", 94, {
    path: path.canary,
    node: "w-1",
    data: { state: "done", tookMs: 90_000, version: "v1.12.4" },
  }),
  event("step.done", 94, { path: path.canary }),
  event("approval.requested", 95, {
    path: "go",
    data: { tag: "go", message: "Upgrade the other nodes?" },
  }),
];

export function upTo(second: number): readonly RunEvent[] {
  return begun.filter(({ ts }) => Date.parse(ts) <= startedAt + second * 1_000);
}

export const goes: readonly RunEvent[] = [
  ...begun,
  event("approval.answered", 100, { path: "go", data: { tag: "go" } }),
  event("step.done", 100, { path: "go" }),
  event("group.resolved", 100, {
    path: path.planes,
    data: { nodes: ["cp-1"], atOnce: 1, maxFailures: 0 },
  }),
  event("node.entered", 100, { path: path.planes, node: "cp-1" }),
  event("node.ended", 190, {
    path: path.planes,
    node: "cp-1",
    data: { state: "done", tookMs: 90_000, version: "v1.12.4" },
  }),
  event("step.done", 190, { path: path.planes }),
  event("group.resolved", 190, {
    path: path.workers,
    data: { nodes: ["w-2", "w-3"], atOnce: 1, maxFailures: 0 },
  }),
  event("node.entered", 190, { path: path.workers, node: "w-2" }),
  starts("restart", 200, { path: path.workers, node: "w-2" }),
];

/** A fan-out over many nodes, some of them at every state. */
export function many(count: number): readonly RunEvent[] {
  const path = "workers";
  const names = Array.from({ length: count }, (_, i) => `w-${i + 1}`);
  const data = { reason: "budget: 3 of 3 nodes are unavailable" };
  return [
    ...names.map((node) => event("node.queued", 0, { path, node })),
    event("node.entered", 0, { path, node: "w-1" }),
    event("node.ended", 9, { path, node: "w-1", data: { state: "done" } }),
    event("node.entered", 0, { path, node: "w-2" }),
    starts("drain", 0, { path, node: "w-2" }),
    event("node.ended", 9, {
      path,
      node: "w-2",
      data: {
        state: "failed",
        step: "workers/body/drain",
        code: "drain-blocked",
        message:
          "node.drain: w-2: disruption budget shop/db allows no eviction",
      },
    }),
    event("node.entered", 0, { path, node: "w-190" }),
    starts("restart", 1, { path, node: "w-190" }),
    event("node.entered", 0, { path, node: "w-191" }),
    event("step.waiting", 1, { path: "workers/drain", node: "w-191", data }),
  ];
}
