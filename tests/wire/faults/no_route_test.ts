import assert from "node:assert/strict";
import { counting } from "../../_node_counts.ts";
import { type Wire, withWire } from "../../_wire.ts";
import { pace } from "../_workers.ts";

// The worker, which one of three endpoints does not reach.
const worker = "10.5.0.5";

function withCutOff(test: (wire: Wire) => Promise<void>): Promise<void> {
  const cluster = { controlplanes: 3, workers: 1, pace };
  return withWire(cluster, async (wire) => {
    await wire.cluster.setFault(worker, "no-route", { node: "10.5.0.3" });
    await test(wire);
  });
}

Deno.test("every read reaches a node through the endpoints that reach it", async () => {
  await withCutOff(async ({ osctl }) => {
    const lines = [
      "version --short",
      "get hostname",
      "logs machined --tail 1",
      "list /",
      "processes",
    ];
    for (const line of lines) {
      const { err, status } = await osctl(`${line} -n ${worker}`);
      assert.deepEqual([err, status], ["", 0], line);
    }
  });
});

Deno.test("a change that an endpoint could not forward is sent through another, once", async () => {
  await withCutOff(async ({ cluster, osctl }) => {
    const node = cluster.nodes[3];
    assert.ok(node);
    const counts = await counting(node, "Reboot");
    const { out, err, status } = await osctl(`reboot -n ${worker} -o jsonl`);
    assert.deepEqual([JSON.parse(out).outcome, status], ["done", 0], err);
    assert.deepEqual(counts(), { calls: 1, boots: 1 });
  });
});

Deno.test("a node that no endpoint reaches is reported once, with what the endpoints say", async () => {
  await withWire({ workers: 1 }, async ({ cluster, osctl }) => {
    await cluster.setFault("10.5.0.3", "no-route");
    const { err, status } = await osctl("version -n 10.5.0.3");
    assert.equal(
      err,
      "error: simulated-worker-1 (10.5.0.3): cannot connect to 10.5.0.3:50000: no route to host\n" +
        "hint: Check that the node is up and that the endpoint can reach it; diagnose it with: osctl doctor connect\n",
    );
    assert.equal(status, 1);
  });
});

Deno.test("a worker as the only endpoint is named, with what to do", async () => {
  await withWire({ workers: 1 }, async ({ cluster, osctl }) => {
    const endpoint = cluster.listening.get("10.5.0.3");
    const { err, status } = await osctl(`version -e ${endpoint} -n 10.5.0.2`);
    assert.equal(
      err.replaceAll(`${endpoint}`, "WORKER"),
      'error: simulated-controlplane-1 (10.5.0.2): endpoint "WORKER" forwards no calls to other nodes, as it is a worker\n' +
        "hint: Use control planes as endpoints: -e ADDRESS, or for good: osctl config endpoint ADDRESS\n",
    );
    assert.equal(status, 1);
  });
});
