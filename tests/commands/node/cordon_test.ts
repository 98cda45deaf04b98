import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";

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
