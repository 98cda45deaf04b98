import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { withControlPlanes } from "./_control_planes.ts";

Deno.test("etcd forfeit-leadership moves the leader and leaves other nodes alone", async () => {
  await withControlPlanes(3, async ({ rows }) => {
    const [{ leader: before }] = await rows("etcd status");
    const outcomes = await rows("etcd forfeit-leadership -n @controlplane");
    const [{ leader: after }] = await rows("etcd status");
    assert.notEqual(after, before);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome).toSorted(),
      ["done", "unchanged", "unchanged"],
    );
  });
});

Deno.test("etcd forfeit-leadership still tells the good nodes when one fails", async () => {
  await withControlPlanes(3, async ({ osctl, cluster }) => {
    const [, , third] = cluster.nodes;
    assert.ok(third);
    await setFault(third, "etcd-stopped");
    const { out, status } = await osctl(
      "etcd forfeit-leadership -n @controlplane -o jsonl",
    );
    const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
    assert.equal(rows.filter(({ error }) => error).length, 1);
    assert.equal(status, 3);
  });
});

Deno.test("etcd forfeit-leadership --wait=false ends when accepted by the node", async () => {
  await withControlPlanes(3, async ({ rows }) => {
    const outcomes = await rows(
      "etcd forfeit-leadership -n @controlplane --wait=false",
    );
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome).toSorted(),
      ["accepted", "unchanged", "unchanged"],
    );
  });
});
