import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";
import { runOn } from "../../_run.ts";

Deno.test("node uncordon refuses what it does not take before anything is asked", async () => {
  const ran = await runOn("node uncordon --nodes a --only theirs");
  assert.equal(ran.status, 2);
  assert.match(ran.err, /--only/);
});

Deno.test("node uncordon opens a node, as a row", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    await osctl("node cordon --nodes 10.5.0.3");
    const ran = await osctl("node uncordon --nodes 10.5.0.3 -o json");
    assert.deepEqual(JSON.parse(ran.out), {
      node: "10.5.0.3",
      outcome: "done",
      reason: "simulated-worker-1 is uncordoned",
    });
    assert.equal(ran.status, 0);
  });
});
