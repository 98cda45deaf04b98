import assert from "node:assert/strict";
import { timeline } from "../../../workflows/rehearsal/timeline.ts";
import { event } from "../runbooks/report/_streams.ts";
import { clean, killed } from "./_rehearsals.ts";

/** Bars of a drawing: look, left side and width. */
function findBars({ svg }: { readonly svg: string }): readonly string[] {
  const bars = svg.matchAll(
    /<rect class="(\S+)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g,
  );
  return [...bars].map(([, look, x, wide]) => `${look} ${x} ${wide}`);
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
    "holds 150 443",
    "fails 150 886",
    "waits 150 886",
    "unknown 150 886",
  ]);
  assert.match(drawn.svg, /<title>workers\/restart: failed, 1m40s&#10;busy</);
});

Deno.test("timeline puts steps at the same time below each other", () => {
  const at = (id: string, from: number, to: number) => [
    event("step.start", from, { path: `a/${id}`, node: "w-1" }),
    event("step.done", to, { path: `a/${id}`, node: "w-1" }),
  ];
  const alone = timeline({
    ...clean,
    events: [...at("x", 0, 5), ...at("y", 5, 9)],
  });
  const both = timeline({
    ...clean,
    events: [...at("x", 0, 5), ...at("y", 4, 9)],
  });
  assert.equal(both.height - alone.height, 20);
});

Deno.test("timeline marks what was injected where, and where another process went on", () => {
  const { svg } = timeline(killed);
  const numbers = [...svg.matchAll(/class="number" x="([\d.]+)"[^>]*>(\d)</g)];
  assert.deepEqual(numbers.map(([, x, number]) => [number, x]), [
    ["1", "421.4"],
    ["2", "842"],
  ]);
  assert.match(svg, /class="fault" d="M842 \d+H923.4"/);
  assert.match(svg, /class="resumed" d="M475.6 /);
});

Deno.test("timeline has a row for a node that only a fault names", () => {
  const faults = [{
    fault: "node/x: down",
    node: "x",
    at: "2026-11-20T19:30:01Z",
  }];
  const { svg } = timeline({
    ...clean,
    faults,
    events: [event("run.started", 0)],
  });
  assert.match(svg, />x<\/text>/);
});

Deno.test("timeline shows a run of any length in at most ten marks", () => {
  for (const seconds of [1, 7, 59, 3_600, 86_400, 1_000_000]) {
    const { svg } = timeline({
      ...clean,
      events: [event("run.started", 0), event("run.ended", seconds)],
    });
    const marks = svg.match(/class="tick"/g)?.length ?? 0;
    assert.ok(marks >= 2 && marks <= 10, `${seconds}: ${marks}`);
  }
});
