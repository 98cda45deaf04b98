import assert from "node:assert/strict";
import { timeline } from "../../../workflows/rehearsal/timeline.ts";
import { event } from "../runbooks/report/_streams.ts";
import { clean, killed } from "./_rehearsals.ts";

/** Bars of a timeline: look, left side, and right side. */
function findBars(html: string): readonly string[] {
  const bars = html.matchAll(
    /class="bar (\S+)" title="[^"]*" style="left: (\S+); width: calc\((\S+) - /g,
  );
  return [...bars].map(([, look, from, to]) => `${look} ${from} ${to}`);
}

const path = "workers/restart";

Deno.test("timeline has a bar for each step, as long as it took", () => {
  const drawn = timeline({
    ...clean,
    events: [
      event("step.start", 0, { path, node: "w-1" }),
      event("step.start", 0, { path, node: "w-2" }),
      event("step.start", 0, { path, node: "w-3" }),
      event("step.start", 0, { path, node: "w-4" }),
      event("step.skipped", 0, { path, node: "w-5", data: { reason: "x" } }),
      event("step.done", 50, { path, node: "w-1" }),
      event("step.failed", 100, { path, node: "w-2", data: { code: "busy" } }),
      event("step.in-doubt", 100, { path, node: "w-3" }),
    ],
  });
  assert.deepEqual(findBars(drawn), [
    "holds 0% 50%",
    "fails 0% 100%",
    "waits 0% 100%",
    "unknown 0% 100%",
  ]);
  assert.match(drawn, /title="workers\/restart: failed, 1m40s&#10;busy"/);
});

Deno.test("timeline puts steps at the same time below each other", () => {
  const at = (id: string, from: number, to: number) => [
    event("step.start", from, { path: `a/${id}`, node: "w-1" }),
    event("step.done", to, { path: `a/${id}`, node: "w-1" }),
  ];
  const countLanes = (html: string) => html.match(/class="lane"/g)?.length;
  const alone = timeline({
    ...clean,
    events: [...at("x", 0, 5), ...at("y", 5, 9)],
  });
  const both = timeline({
    ...clean,
    events: [...at("x", 0, 5), ...at("y", 4, 9)],
  });
  assert.deepEqual([alone, both].map(countLanes), [1, 2]);
});

Deno.test("timeline marks what was injected where, and where another process went on", () => {
  const html = timeline(killed);
  const numbers = [
    ...html.matchAll(/class="number"[^>]* style="left: (\S+)">(\d)</g),
  ];
  assert.deepEqual(numbers.map(([, x, number]) => [number, x]), [
    ["1", "30.63%"],
    ["2", "78.1%"],
  ]);
  assert.match(html, /class="fault" style="left: 78.1%; width: calc\(87.29% /);
  assert.match(html, /class="resumed" [^>]*style="left: 36.75%"/);
});

Deno.test("timeline has a row for a node that only a fault names", () => {
  const faults = [{
    fault: "node/x: down",
    node: "x",
    at: "2026-11-20T19:30:01Z",
  }];
  const html = timeline({
    ...clean,
    faults,
    events: [event("run.started", 0)],
  });
  assert.match(html, />x<\/strong>/);
});

Deno.test("timeline shows a run of any length in at most ten marks", () => {
  for (const seconds of [1, 7, 59, 3_600, 86_400, 1_000_000]) {
    const html = timeline({
      ...clean,
      events: [event("run.started", 0), event("run.ended", seconds)],
    });
    const marks = html.match(/class="tick"/g)?.length ?? 0;
    assert.ok(marks >= 2 && marks <= 10, `${seconds}: ${marks}`);
  }
});
