import assert from "node:assert/strict";
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
