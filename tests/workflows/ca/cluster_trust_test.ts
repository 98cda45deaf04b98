import assert from "node:assert/strict";
import { onCluster } from "../_step_context.ts";
import {
  trustOfAll,
  trustOfEach,
} from "../../../workflows/ca/cluster_trust.ts";

Deno.test("nodes tell whom they trust, in the order they were asked", async () => {
  await onCluster({ workers: 1 }, async ({ context }) => {
    const { cluster } = await context();
    const nodes = ["10.5.0.3", "10.5.0.99", "10.5.0.2"];
    const [worker, unreachable, first] = await trustOfAll(
      cluster,
      nodes,
      "os",
    );
    assert.ok(worker && "list" in worker && first && "list" in first);
    assert.equal(worker.list.controlPlane, false);
    assert.equal(first.list.controlPlane, true);
    assert.deepEqual(worker.list.issuing, first.list.issuing);
    assert.ok(unreachable && "error" in unreachable);
    await assert.rejects(
      () => trustOfEach(cluster, nodes, "os"),
      /Cannot read the CAs of 10\.5\.0\.99/,
    );
    assert.equal(
      (await trustOfEach(cluster, ["10.5.0.3"], "os")).length,
      1,
    );
  });
});

Deno.test("bugs are not nodes that do not tell", async () => {
  const at = () => Promise.reject(new TypeError("a bug"));
  await assert.rejects(() => trustOfAll({ at }, ["a"], "os"), TypeError);
});
