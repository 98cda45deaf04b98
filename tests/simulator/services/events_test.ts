import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { EventsRequest } from "../../../transport/gen/machine.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

/** Events behind the first, which has an id and no contents, up to `count`. */
async function readEvents(
  { endpoints, adminIdentity: identity }: RunningCluster,
  request: Partial<EventsRequest>,
  count: number,
  act = () => {},
) {
  using client = testClient({ endpoint: endpoints[0]!, identity });
  const seen = [];
  let isFirst = true;
  for await (const event of client.machine.events(request)) {
    if (isFirst) {
      assert.match(event.id, /^[0-9a-v]{20}$/);
      assert.equal(event.data?.typeUrl, "");
      isFirst = false;
      act();
      continue;
    }
    seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

Deno.test("Events keeps to one actor", async () => {
  await withCluster({}, async (cluster) => {
    const { boot: { events } } = cluster.nodes[0]!;
    const act = () => {
      events.publish("TaskEvent", { task: "theirs" }, "them");
      events.publish("TaskEvent", { task: "mine" }, "me");
    };
    const [event] = await readEvents(cluster, { withActorId: "me" }, 1, act);
    assert.equal(event!.actorId, "me");
  });
});

Deno.test("Events refuses an id that is none, and two ways to look back", async () => {
  await withCluster({}, async (cluster) => {
    await assert.rejects(
      readEvents(cluster, { tailId: "x" }, 1),
      new RpcError("UNKNOWN", "error parsing tail_id: xid: invalid ID"),
    );
    await assert.rejects(
      readEvents(cluster, { tailEvents: 1, tailSeconds: 1 }, 1),
      { code: "UNKNOWN" },
    );
  });
});
