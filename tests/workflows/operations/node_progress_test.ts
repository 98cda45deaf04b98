import assert from "node:assert/strict";
import {
  after,
  pending,
  progressDisplay,
  render,
} from "../../../workflows/operations/node_progress.ts";
import type { OperationEvent } from "../../../workflows/operations/run.ts";

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `node-${i + 1}`);
}

/** Things that happen, one each second. */
function play(
  nodes: readonly string[],
  ...events: readonly OperationEvent[]
) {
  return events.reduce(
    (state, event, second) => after(state, event, second * 1_000),
    pending(nodes),
  );
}

const done = { outcome: "done", reason: "ready, v1.12.1" } as const;

Deno.test("render shows name, state, time and last text of each node", () => {
  const state = play(
    ["10.0.0.2", "10.0.0.13", "c"],
    { node: "10.0.0.2", progress: "the node reboots" },
    { node: "10.0.0.2", progress: "stage booting" },
    { node: "10.0.0.13", progress: "waiting for other control planes" },
    { node: "10.0.0.2", verdict: done },
  );
  assert.deepEqual(render(state, { columns: 80, rows: 24 }, 65_000), [
    "10.0.0.2   done     3s    ready, v1.12.1",
    "10.0.0.13  running  1m3s  waiting for other control planes",
    "c          pending",
  ]);
});

Deno.test("render cuts lines to the width, and says so", () => {
  const text = "the node does not answer: connection refused";
  const state = play(["a"], { node: "a", progress: text });
  assert.deepEqual(render(state, { columns: 30, rows: 24 }, 0), [
    "a  running  0s  the node does…",
  ]);
  const long = play([`${"long-".repeat(10)}name`]);
  assert.deepEqual(render(long, { columns: 30, rows: 24 }, 0), [
    "long-long…  pending",
  ]);
});

Deno.test("render keeps to the rows: what failed first, then what is running, and a line that counts", () => {
  const state = play(
    names(200),
    { node: "node-1", verdict: done },
    { node: "node-7", verdict: { outcome: "failed", reason: "no" } },
    { node: "node-9", progress: "stage booting" },
  );
  for (const columns of [80, 200]) {
    const lines = render(state, { columns, rows: 6 }, 5_000);
    assert.deepEqual(lines, [
      "node-7  failed   0s  no",
      "node-9  running  3s  stage booting",
      "node-2  pending",
      "node-3  pending",
      "200 nodes: 1 failed, 1 running, 197 pending, 1 done",
    ]);
  }
});

Deno.test("render says how many there are where there is room for nothing else", () => {
  assert.deepEqual(render(pending(names(5)), { columns: 80, rows: 1 }, 0), [
    "5 nodes: 5 pending",
  ]);
});

Deno.test("render shows text from nodes on one line, without control sequences", () => {
  const progress = "two\nlines \x1b[31mred";
  const state = play(["a"], { node: "a", progress });
  assert.deepEqual(render(state, { columns: 80, rows: 24 }, 0), [
    "a  running  0s  two lines red",
  ]);
});

Deno.test("progressDisplay writes each change as a line with its time where there is no terminal", async () => {
  const reported: string[] = [];
  const note = (text: string) => void reported.push(text);
  let ms = 0;
  const environment = { now: () => new Date(ms) };
  const display = progressDisplay({ note, environment }, ["a", "b"]);
  display.take({ node: "a", progress: "waiting" });
  ms += 65_000;
  display.take({ node: "b", progress: "waiting" });
  display.take({ node: "a", progress: "waiting" });
  display.take({ node: "a", progress: "stage booting" });
  display.take({ node: "a", verdict: done });
  await display.end();
  assert.deepEqual(reported, [
    "00:00:00 a: waiting",
    "00:01:05 b: waiting",
    "00:01:05 a: stage booting",
  ]);
});

Deno.test("progressDisplay draws ten times a second at most, and leaves the last state standing", async () => {
  const drawn: string[] = [];
  const waits: number[] = [];
  let tick = Promise.withResolvers<void>();
  const live = {
    size: () => ({ columns: 80, rows: 24 }),
    draw: (lines: readonly string[]) =>
      Promise.resolve(void drawn.push(lines.join("|"))),
    paint: (text: string) => text,
    color() {},
    leave: () => Promise.resolve(void drawn.push("left")),
    alone: () => Promise.reject(new Error("Nobody asks")),
  };
  const note = () => assert.fail("nothing is told");
  const display = progressDisplay(
    { note, environment: { live, now: () => new Date(0) } },
    ["a", "b"],
    new Map(),
    (ms, signal) => {
      waits.push(ms);
      signal.addEventListener("abort", () => tick.resolve());
      return tick.promise;
    },
  );
  display.take({ node: "a", progress: "one" });
  display.take({ node: "a", progress: "two" });
  while (waits.length < 1) await Promise.resolve();
  const before = tick;
  tick = Promise.withResolvers();
  before.resolve();
  while (waits.length < 2) await Promise.resolve();
  display.take({ node: "a", verdict: done });
  await display.end();
  assert.deepEqual(drawn, [
    "a  pending|b  pending",
    "a  running  0s  two|b  pending",
    "a  done     0s  ready, v1.12.1|b  pending",
    "left",
  ]);
  assert.deepEqual(waits, [100, 100]);
});

Deno.test("render shows roles, and versions before and after", () => {
  const about = new Map([
    ["a", { role: "worker", version: "v1.12.0" }],
    ["b", { role: "controlplane", version: "v1.12.0" }],
  ]);
  const state = play(
    ["a", "b"],
    { node: "a", verdict: { outcome: "done", reason: "ready, v1.12.4" } },
    { node: "b", progress: "stage booting" },
  );
  assert.deepEqual(render(state, { columns: 100, rows: 24 }, 2_000, about), [
    "a  worker        done     v1.12.0 → v1.12.4  0s  ready, v1.12.4",
    "b  controlplane  running  v1.12.0            1s  stage booting",
  ]);
});

Deno.test("rows are coloured, and leave the terminal on which the results follow", async () => {
  const drawn: string[] = [];
  const live = {
    size: () => ({ columns: 80, rows: 24 }),
    draw: (lines: readonly string[]) =>
      Promise.resolve(void drawn.push(lines.join("|"))),
    paint: (text: string, tone?: string) => tone ? `<${tone} ${text}>` : text,
    color() {},
    leave: () => Promise.resolve(void drawn.push("left")),
    alone: () => Promise.reject(new Error("Nobody asks")),
  };
  const stdout = {
    terminal: true,
    columns: () => 80,
    write: () => Promise.resolve(),
  };
  const environment = { live, now: () => new Date(0), stdout };
  const note = () => assert.fail("nothing is told");
  const display = progressDisplay({ note, environment }, ["a"]);
  assert.equal(display.isReplaced, true);
  display.take({ node: "a", progress: "stage booting" });
  await display.end();
  assert.deepEqual(drawn.slice(-2), ["", "left"]);
  assert.equal(drawn[0], "a  <muted pending>");
});

Deno.test("a row has the host name of its node where it is known", () => {
  const state = after(pending(["10.0.0.5", "10.0.0.6"]), {
    node: "10.0.0.5",
    progress: "booting",
  }, 1_000);
  const about = new Map([["10.0.0.5", { hostname: "web-1", role: "worker" }]]);
  assert.deepEqual(
    render(state, { columns: 60, rows: 24 }, 2_000, about).map((line) =>
      line.replaceAll(/ +/g, " ").trim()
    ),
    ["web-1 worker running 1s booting", "10.0.0.6 pending"],
  );
});
