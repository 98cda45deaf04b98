import assert from "node:assert/strict";
import { health } from "../../../../workflows/dashboard/feeds/all.ts";
import { summaryPage } from "../../../../workflows/dashboard/pages/summary.ts";
import { makeData, pageContext, renderPage } from "../_data.ts";

Deno.test("Summary of a node that is down says why, and that its state is the last known one", () => {
  const value = {
    stage: "running",
    ready: true,
    unmet: [],
    version: "v1.12.11",
    hostname: "cp-1",
    role: "controlplane",
  };
  const draw = (problem?: string) =>
    renderPage(
      summaryPage,
      pageContext(makeData([["10.0.0.2", health, {
        value,
        problem,
        isAway: true,
      }]])),
    );
  const down = draw("connection refused");
  assert.equal(down[0], "connection refused; below is the last known state");
  assert.match(down.join("\n"), /^STAGE +down\b[^]*^READY +n\/a\b/m);
  // Of a node that has never answered, no state is known.
  const problem = "connection refused";
  const never = makeData([["10.0.0.2", health, { problem, isAway: true }]]);
  assert.equal(renderPage(summaryPage, pageContext(never))[0], problem);
  const up = draw();
  assert.match(up[0]!, /^UUID /);
  assert.match(up.join("\n"), /^STAGE +running\b[^]*^READY +yes\b/m);
});
