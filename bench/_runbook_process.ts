/** A process that runs a runbook over nodes that finish every step at once: the rest is the cost of the engine. */

import { withLiveLines } from "../terminal/live_lines.ts";
import { makeClock } from "../workflows/operations/run_on_nodes.ts";
import { type Environment, realEnvironment } from "../terminal/environment.ts";
import { watchRun } from "../workflows/runbooks/report/watch_run.ts";
import { makeEventFeed } from "../workflows/runbooks/run/event_feed.ts";
import type { NodeClient } from "../transport/call/client.ts";
import type { ClusterView } from "../workflows/operations/cluster_view.ts";
import type { Operation } from "../workflows/operations/operation.ts";
import type { NodeFacts } from "../workflows/runbook_cel/facts.ts";
import { loadRunbook } from "../workflows/runbooks/language/loading/load.ts";
import { findAll } from "../workflows/runbooks/language/lookup.ts";
import type { Module } from "../workflows/modules/module.ts";
import type { Facts } from "../workflows/runbooks/read_facts.ts";
import { runRunbook } from "../workflows/runbooks/engine/run.ts";
import { createRun } from "../workflows/runbooks/store/run_folder.ts";

/** Steps of each node. */
export const stepsPerNode = 8;

const text = `apiVersion: osctl/v1
kind: Runbook
name: bench
title: Nothing, many times
requires: { osctl: ">=0.1.0", role: os:admin }
policy: { lock: cluster }
groups: { workers: { role: worker, order: [zoneRoundRobin, name] } }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 50 } }
    steps:
${
  Array.from(
    { length: stepsPerNode },
    (_, i) =>
      `      - { id: s${i}, when: node.version == "v1.13.4", run: bench.${
        i === 3 ? "disturb" : "change"
      } }\n`,
  ).join("")
}`;

function operation(effect: "write" | "disrupt"): Operation<null, null, null> {
  return {
    name: "bench",
    effect,
    idempotency: "converge",
    quorum: () => "none",
    observe: () => Promise.resolve(null),
    plan: () => [{ action: "change" }],
    key: () => null,
    async *apply() {
      yield { text: "changing" };
    },
    reconcile: () => Promise.resolve("done"),
    async *verify() {
      yield { text: "looking" };
      return { outcome: "done", reason: "seen" };
    },
  };
}

function makeModule(name: string, effect: "write" | "disrupt"): Module {
  return {
    kind: "change",
    name,
    summary: "Change nothing",
    scope: "node",
    input: {},
    output: {},
    widenable: [],
    volatile: false,
    operation: operation(effect),
    prepare: () => ({ input: null }),
  };
}

function makeFacts(count: number): Facts {
  const nodes = Array.from({ length: count }, (_, i): NodeFacts => ({
    name: `w-${i}`,
    address: `10.5.${i >> 8}.${i & 255}`,
    role: "worker",
    reachable: true,
    ready: true,
    stage: "running",
    version: "v1.13.4",
    schematic: "",
    customized: false,
    image: "",
    bootId: "b",
    bootloader: "grub",
    platform: "metal",
    secureBoot: false,
    kubernetesVersion: "v1.34.1",
    zone: `z-${i % 3}`,
    labels: {},
    caps: { lifecycle: true },
    etcd: {
      member: false,
      leader: false,
      learner: false,
      healthy: false,
      voters: 3,
      dataDir: "empty",
    },
  }));
  const cluster = { id: "c", name: "bench", endpoint: "", versions: [] };
  return { cluster, nodes, readAt: Date.now() };
}

/** A terminal that takes what is drawn. */
function environment(): Environment {
  const real = realEnvironment();
  const size = { columns: () => 200, rows: () => 60 };
  const sink = { terminal: true, ...size, write: () => Promise.resolve() };
  const env = (name: string) => name === "TERM" ? "xterm" : undefined;
  return withLiveLines({ ...real, stdout: sink, stderr: sink, env });
}

async function carry(count: number): Promise<void> {
  const folder = await Deno.makeTempDir();
  const seen = environment();
  const change = makeModule("bench.change", "write");
  const disturb = makeModule("bench.disturb", "disrupt");
  const finders = {
    module: (name: string) =>
      Promise.resolve([change, disturb].find((one) => one.name === name)),
    modules: [change.name, disturb.name],
    check: () => undefined,
    checks: [],
  };
  const { runbook, files } = await loadRunbook("bench.yaml", {
    find: finders,
    read: () => Promise.resolve(text),
  });
  using run = await createRun(
    folder,
    {
      id: "20261120-bench",
      runbook: "bench",
      source: "bench.yaml",
      files: {},
      inputs: {},
      context: "bench",
      cluster: { id: "c", name: "bench" },
      operator: "bench",
      version: "v0.1.0",
      at: new Date().toISOString(),
    },
    runbook,
    files,
    seen.now,
  );
  const feed = makeEventFeed({
    run: run.header.id,
    now: seen.now,
    mask: (text) => text,
    take() {},
  });
  const facts = makeFacts(count);
  // No question is asked.
  const view = {
    readRole: () => Promise.resolve("worker"),
    kubernetes: () => Promise.reject(new Error("none")),
  } as unknown as ClusterView;
  const client = {} as NodeClient;
  const never = new AbortController().signal;
  const running = runRunbook({
    run: run.header.id,
    runbook,
    inputs: {},
    clock: makeClock(seen),
    random: Math.random,
    cluster: {
      view,
      at: () => Promise.resolve(client),
      any: () => Promise.resolve(client),
      readFacts: () => Promise.resolve({ ...facts, readAt: Date.now() }),
      readAgain: (nodes) => Promise.resolve(nodes),
    },
    found: await findAll(finders.modules, finders),
    checks: new Map(),
    journal: run.journal,
    history: run.history,
    allowed: new Set(),
    firstFacts: facts,
    start: {},
    artifacts: () => Promise.resolve([]),
    lock: { ensure: () => Promise.resolve(undefined) },
    resources: {} as never,
    ask: () => Promise.resolve(undefined),
    stop: { soft: never, hard: never },
    parallel: 32,
    emit: feed.emit,
  });
  running.finally(feed.end);
  const rows = watchRun({ events: feed.events, report: () => running }, {
    format: { kind: "table" },
    note() {},
    environment: seen,
  });
  for await (const row of rows) {
    if (!("state" in row) || row.state !== "succeeded") {
      throw new Error(JSON.stringify(row).slice(0, 500));
    }
  }
  await Deno.remove(folder, { recursive: true });
}

if (import.meta.main) await carry(Number(Deno.args[0]));
