import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { EventsRequest } from "../../../transport/gen/machine.ts";
import {
  SequenceEvent,
  ServiceStateEvent,
} from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";

/** Events behind the first, which has an id and no contents, up to `count`. */
async function eventsOf(
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

Deno.test("Events replays the boot in order, with ids that sort", async () => {
  await withCluster({}, async (cluster) => {
    const count = cluster.nodes[0]!.boot.events.end();
    const events = await eventsOf(cluster, { tailEvents: -1 }, count);
    assert.equal(events.length, count);
    const ids = events.map(({ id }) => id);
    assert.deepEqual([...ids].sort(), ids);
    assert.match(ids[0]!, /^[0-9a-v]{20}$/);
    const sequences = events
      .filter(({ data }) =>
        data?.typeUrl === "talos/runtime/machine.SequenceEvent"
      )
      .map(({ data }) => SequenceEvent.decode(data!.value))
      .map(({ sequence, action }) => `${sequence} ${action}`);
    assert.deepEqual(sequences, [
      "initialize 1",
      "initialize 2",
      "boot 1",
      "boot 2",
    ]);
  });
});

Deno.test("Events continues behind an id", async () => {
  await withCluster({}, async (cluster) => {
    const [third] = await eventsOf(cluster, { tailEvents: 3 }, 1);
    const rest = await eventsOf(cluster, { tailId: third!.id }, 2);
    const last = await eventsOf(cluster, { tailEvents: 2 }, 2);
    assert.deepEqual(rest, last);
  });
});

Deno.test("Events without a tail shows only what happens from now on", async () => {
  await withCluster({}, async (cluster) => {
    const { boot: { events } } = cluster.nodes[0]!;
    const publish = () =>
      events.publish("ServiceStateEvent", {
        service: "kubelet",
        message: "hello",
      }, "me");
    const [event] = await eventsOf(cluster, {}, 1, publish);
    assert.equal(event!.actorId, "me");
    assert.deepEqual(ServiceStateEvent.decode(event!.data!.value), {
      service: "kubelet",
      action: 0,
      message: "hello",
      health: undefined,
    });
  });
});

Deno.test("Events keeps to one actor", async () => {
  await withCluster({}, async (cluster) => {
    const { boot: { events } } = cluster.nodes[0]!;
    const act = () => {
      events.publish("TaskEvent", { task: "theirs" }, "them");
      events.publish("TaskEvent", { task: "mine" }, "me");
    };
    const [event] = await eventsOf(cluster, { withActorId: "me" }, 1, act);
    assert.equal(event!.actorId, "me");
  });
});

Deno.test("Events refuses an id that is none, and two ways to look back", async () => {
  await withCluster({}, async (cluster) => {
    await assert.rejects(
      eventsOf(cluster, { tailId: "x" }, 1),
      new RpcError("UNKNOWN", "error parsing tail_id: xid: invalid ID"),
    );
    await assert.rejects(
      eventsOf(cluster, { tailEvents: 1, tailSeconds: 1 }, 1),
      { code: "UNKNOWN" },
    );
  });
});
