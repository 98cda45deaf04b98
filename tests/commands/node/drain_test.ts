import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";

Deno.test("node drain of a node that is closed and empty is nothing to do, as a row", async () => {
  await withWire({ workers: 2 }, async ({ osctl }) => {
    const line = "node drain --nodes 10.5.0.3 -o json";
    const ran = await osctl(line);
    const { outcome, reason } = JSON.parse(ran.out);
    assert.equal(outcome, "done");
    assert.match(reason, /^\d pods? moved, 2 stay on the node$/);
    const again = await osctl(line);
    assert.deepEqual(JSON.parse(again.out), {
      node: "10.5.0.3",
      outcome: "unchanged",
      reason:
        "nothing to do: simulated-worker-1 is cordoned and has no pods to evict",
    });
    assert.equal(again.status, 0);
  });
});
