import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";
import { runOn } from "../../_run.ts";

Deno.test("node cordon refuses what it does not take before anything is asked", async () => {
  const ran = await runOn("node cordon --nodes a --force");
  assert.equal(ran.status, 2);
  assert.match(ran.err, /--force/);
});

Deno.test("node cordon closes a node, as a row", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    const ran = await osctl("node cordon --nodes 10.5.0.3 -o json");
    assert.deepEqual(JSON.parse(ran.out), {
      node: "10.5.0.3",
      outcome: "done",
      reason: "simulated-worker-1 is cordoned",
    });
    assert.equal(ran.status, 0);
  });
});

Deno.test("node cordon shows two nodes when Kubernetes does not know the third", async () => {
  await withWire({ workers: 2 }, async ({ osctl, cluster }) => {
    const path = "/api/v1/nodes/simulated-worker-2";
    await cluster.setFault("10.5.0.4", "unavailable");
    cluster.kubernetes.request({ method: "DELETE", path });
    const ran = await osctl("node cordon --nodes @all");
    assert.equal(ran.status, 3);
    assert.match(ran.out, /10\.5\.0\.2 +done/);
    assert.match(ran.out, /10\.5\.0\.3 +done/);
    assert.match(ran.err, /error: \S+ \(10\.5\.0\.4\): failed: /);
  });
});
