import assert from "node:assert/strict";
import { foldStages } from "../../../../workflows/runbooks/report/step_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { event } from "./_streams.ts";

/** The last step after events. */
function after(...events: readonly RunEvent[]) {
  const { take, shown } = foldStages();
  for (const one of events) take(one);
  return shown().at(-1);
}

const path = "snapshot";
const started = event("step.start", 0, { path });

Deno.test("foldStages shows progress and why a step is tried again", () => {
  const progress = event("step.progress", 1, {
    path,
    data: { reason: "1 MiB" },
  });
  const empty = event("step.progress", 1, { path });
  const data = { code: "unavailable", waitMs: 5_000 };
  const retry = event("step.retry", 1, { path, data });
  assert.equal(after(started, progress, empty)?.text, "1 MiB");
  assert.equal(after(started, retry)?.text, "unavailable, again in 5s");
});
