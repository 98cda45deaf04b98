import assert from "node:assert/strict";
import { EtcdError } from "../../../../simulator/etcd/etcd_error.ts";
import { createQueue } from "../../../../simulator/etcd/real/real_client.ts";
import { version } from "../../../_etcd.ts";
import { testReal } from "../_real.ts";

testReal(
  "a client reads what the server is",
  async ({ server, start, identity }) => {
    await start();
    const { client } = server;
    const status = await client.status();
    assert.equal(status.protocolVersion, await version());
    assert.equal(status.leader, status.memberId);
    assert.deepEqual([status.isLearner, status.errors], [false, []]);
    assert.deepEqual(await client.members(), [{
      id: status.memberId,
      name: identity.hostname,
      peerUrls: [await server.peerUrl()],
      clientUrls: (await client.members())[0]!.clientUrls,
      isLearner: false,
    }]);
    assert.equal(await client.memberId(), status.memberId);
  },
);

testReal(
  "alarms are raised, listed and disarmed",
  async ({ server, start }) => {
    await start();
    const { client } = server;
    assert.deepEqual(await client.alarms(), []);
    await client.raise("NOSPACE");
    const raised = [{ memberId: await client.memberId(), alarm: "NOSPACE" }];
    assert.deepEqual(await client.alarms(), raised);
    assert.deepEqual(await client.disarm(), raised);
    assert.deepEqual(await client.alarms(), []);
  },
);

testReal("the server refuses in its own words", async ({ server, start }) => {
  await start();
  const { client } = server;
  await assert.rejects(client.remove(1n), (error) => {
    assert.ok(error instanceof EtcdError);
    assert.equal(error.message, "etcdserver: member not found");
    return true;
  });
  await client.defragment();
});

Deno.test("one begins when the one before has ended, also in failure", async () => {
  const inTurn = createQueue();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failure = new Error("it went wrong");
  const first = inTurn(async () => {
    seen.push("first begins");
    await gate.promise;
    seen.push("first ends");
    throw failure;
  });
  const second = inTurn(() => {
    seen.push("second");
    return Promise.resolve(2);
  });
  const refused = assert.rejects(first, failure);
  // Another queue does not wait for this one.
  await createQueue()(() => Promise.resolve());
  assert.deepEqual(seen, ["first begins"]);
  gate.resolve();
  assert.equal(await second, 2);
  await refused;
  assert.deepEqual(seen, ["first begins", "first ends", "second"]);
});
