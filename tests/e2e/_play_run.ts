/** Shows a made-up run on the terminal it is started in: number of nodes, and milliseconds between two events. */

import { realEnvironment } from "../../terminal/environment.ts";
import { withLiveLines } from "../../terminal/live_lines.ts";
import { showRun } from "../../workflows/runbooks/report/show_run.ts";
import type { RunEvent } from "../../workflows/runbooks/event.ts";
import { type LooseEvent, wholeEvent } from "../workflows/runbooks/_records.ts";

const [count = 5, ms = 20] = Deno.args.map(Number);
const nodes = Array.from({ length: count }, (_, i) => `w-${i + 1}`);
const path = "workers";

function event(
  type: RunEvent["type"],
  rest: Omit<LooseEvent, "type">,
): RunEvent {
  const ts = new Date().toISOString();
  return { v: 1, seq: 1, ts, run: "r1", ...wholeEvent({ type, ...rest }) };
}

/** Each node waits, restarts and ends; the third fails; then the run is asked to stop. */
function* makeEvents(): Generator<RunEvent> {
  const stages = ["preflight", path, "final"].map((path) => ({ path }));
  const head = { runbook: "rolling-upgrade", cluster: "prod" };
  yield event("run.planned", { data: { ...head, stages } });
  yield event("step.done", { path: "preflight" });
  const limits = { nodes, maxUnavailable: 2, maxFailures: 1 };
  yield event("group.resolved", { path, data: limits });
  for (const node of nodes) {
    const at = { path: `${path}/restart`, node };
    const reason = `budget: ${"two of the nodes are away, ".repeat(5)}`;
    yield event("node.entered", { path, node });
    yield event("step.start", at);
    yield event("step.waiting", { ...at, data: { reason } });
    yield event("step.progress", { ...at, data: { reason: "it reboots" } });
    yield event("step.done", at);
    const state = node === "w-3" ? "failed" : "done";
    yield event("node.ended", { path, node, data: { state } });
    if (node !== "w-4") continue;
    const waiting = [{ node: "w-5", until: `${path}/restart` }];
    yield event("run.stopping", { data: { reason: "interrupt", waiting } });
  }
  yield event("step.done", { path });
  yield event("run.ended", { data: { state: "partial", status: 3 } });
}

async function* play(): AsyncGenerator<RunEvent> {
  for (const one of makeEvents()) {
    yield one;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

const environment = withLiveLines(realEnvironment());
const encoder = new TextEncoder();
await showRun(play(), {
  environment,
  note: (text) => void environment.stderr.write(encoder.encode(`${text}\n`)),
});
