import assert from "node:assert/strict";
import { ConfigError } from "../../errors.ts";
import { startCluster } from "../../simulator/cluster.ts";
import { setFault } from "../../simulator/set_fault.ts";
import { withCluster } from "../_cluster.ts";
import { storeIn } from "../_store.ts";
import { testClient } from "./_client.ts";

Deno.test("a cluster that is started again has its authority and its nodes", async () => {
  const texts = new Map<string, string>();
  const options = { workers: 1, store: storeIn(texts) };
  const first = await startCluster(options);
  const before = first.nodes.map(({ identity }) => identity.uuid);
  const boots = first.nodes.map(({ bootId }) => bootId);
  await setFault(first.nodes[1]!, "returns-unconfigured");
  await first.reboot("10.5.0.3");
  await first.stop();
  assert.deepEqual([...texts.keys()].sort(), [
    "cluster.json",
    "etcd.json",
    "node-simulated-controlplane-1.json",
    "node-simulated-worker-1.json",
  ]);
  await withCluster(options, async ({ nodes, endpoints }) => {
    assert.deepEqual(nodes.map(({ identity }) => identity.uuid), before);
    assert.deepEqual(nodes.map(({ configured }) => configured), [true, false]);
    assert.notDeepEqual(nodes.map(({ bootId }) => bootId), boots);
    using client = testClient({
      endpoint: endpoints[0]!,
      identity: first.adminIdentity,
    });
    assert.equal((await client.machine.version({})).messages.length, 1);
  });
});

Deno.test("saved state that is none is refused by name", async () => {
  const start = (text: string) =>
    startCluster({ store: storeIn(new Map([["cluster.json", text]])) });
  await assert.rejects(start("{"), {
    name: "ConfigError",
    message: 'Cannot read saved state "cluster.json": it is no JSON',
  });
  await assert.rejects(
    start("1"),
    new ConfigError('Cannot read saved state "cluster.json": it is no object'),
  );
  await assert.rejects(
    start('{"id":"x"}'),
    new ConfigError(
      'Cannot read saved state "cluster.json": it has no "secrets"',
    ),
  );
});
