import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

/** Versions whose nodes report what fails before the installer starts as INTERNAL, and the next ones. */
const versions = [["v1.13.0", "v1.13.1"], ["v1.14.0", "v1.14.1"]] as const;

for (const [tag, next] of versions) {
  Deno.test(`${tag}: an installation that fails before the installer starts leaves the node uncordoned, with the cause`, async () => {
    const cluster = { workers: 2, pace, release: { tag } };
    await withWire(cluster, async ({ cluster, osctl, names }) => {
      const [, , node = ""] = names;
      const { boots } = cluster.nodes[2]!.counts;
      await cluster.setFault(node, "call-fails", {
        method: "Upgrade",
        calls: 1,
        code: "INTERNAL",
      });
      const ran = await osctl(`upgrade --to ${next} -n ${node}`);
      assert.match(
        ran.err,
        /failed: The installer was not started: simulated failure of the call; simulated-worker-2 is uncordoned$/m,
      );
      assert.equal(ran.status, 1);
      assert.equal(cluster.nodes[2]!.counts.boots, boots);
      const bare = await osctl(`upgrade -i ${next} -n ${node}`);
      assert.notEqual(bare.status, 0, bare.err);
      const path = "/api/v1/nodes/simulated-worker-2";
      const { body } = cluster.kubernetes.request({ method: "GET", path });
      assert.doesNotMatch(JSON.stringify(body), /"unschedulable":true/);
      const again = await osctl(`upgrade --to ${next} -n ${node}`);
      assert.equal(again.status, 0, again.err);
      assert.equal(cluster.nodes[2]!.disk.bootEntries?.running.tag, next);
    });
  });
}
