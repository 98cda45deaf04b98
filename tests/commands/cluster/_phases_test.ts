import assert from "node:assert/strict";
import {
  quietPhases,
  reportPhases,
} from "../../../commands/cluster/_phases.ts";
import type { Environment } from "../../../commands/_kit/mod.ts";
import { openWork } from "../../../transport/call/open_calls.ts";

Deno.test("a phase is named while it runs, and reported with its time", async () => {
  const noted: string[] = [];
  let ms = 0;
  // Only the clock is asked for.
  const environment = { now: () => new Date(ms) } as Environment;
  const phases = reportPhases({
    note: (line) => void noted.push(line),
    environment,
  });
  const made = await phases.phase("creating network lab", () => {
    const named = [...openWork].map(({ text }) => text());
    assert.deepEqual(named, ["creating network lab"]);
    phases.node("lab-worker-1", "started");
    ms += 1_240;
    return Promise.resolve(7);
  });
  assert.equal(made, 7);
  assert.deepEqual(noted, [
    "lab-worker-1: started",
    "creating network lab: 1.2 s",
  ]);
  assert.equal(await quietPhases.phase("waiting", () => Promise.resolve(8)), 8);
});
