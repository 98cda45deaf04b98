import assert from "node:assert/strict";
import { withControlPlanes } from "./_control_planes.ts";

Deno.test("etcd defrag gives room back and tells how much", async () => {
  await withControlPlanes(1, async ({ rows, names }) => {
    const [before] = await rows("etcd status");
    const [row] = await rows(`etcd defrag -n ${names[0]}`);
    const [after] = await rows("etcd status");
    assert.deepEqual(row, {
      node: names[0],
      outcome: "done",
      reason: `${before.dbSize} bytes before, ${after.dbSize} now`,
    });
    assert.ok(after.dbSize < before.dbSize);
  });
});

Deno.test("etcd defrag works on one node", async () => {
  await withControlPlanes(2, async ({ osctl }) => {
    const { err, status } = await osctl("etcd defrag -n @all");
    assert.match(err, /works on one node, and 2 are selected/);
    assert.equal(status, 2);
    const chosen = await osctl("etcd defrag");
    assert.match(
      chosen.err,
      /^Using control plane (10\.5\.0\.[23]); choose another with --nodes\nerror: .*\nhint: Type: osctl etcd defrag --nodes \1\n$/,
    );
    assert.equal(chosen.status, 5);
  });
});
