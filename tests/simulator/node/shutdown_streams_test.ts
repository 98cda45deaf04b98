import assert from "node:assert/strict";
import { SequenceEvent } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient } from "../_faults.ts";

const pace = { stopMs: 10, downMs: 0 };

Deno.test("streams have all that was said before the node goes, however much that is", async () => {
  await withCluster({ workers: 1, pace }, async (cluster) => {
    using client = openClient(cluster);
    const [, node] = cluster.nodes;
    const error = { message: "x".repeat(1_000) };
    let seen = 0;
    let started = false;
    for await (const { data } of client.machine.events({})) {
      if (!started) {
        started = true;
        for (let left = 900; left > 0; left--) {
          node!.boot.events.publish("SequenceEvent", {
            sequence: "much",
            error,
          });
        }
        await client.machine.reboot({});
      } else if (data!.typeUrl.endsWith("SequenceEvent")) {
        if (SequenceEvent.decode(data!.value).sequence === "much") seen++;
      }
    }
    assert.equal(seen, 900);
    await cluster.settled();
  });
});
