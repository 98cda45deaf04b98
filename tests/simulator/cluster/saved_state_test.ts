import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../_store.ts";
import { testClient } from "../_client.ts";
import { clientOf } from "../_faults.ts";

Deno.test("a cluster that is started again has its CA and its nodes", async () => {
  const texts = new Map<string, string>();
  const options = { workers: 1, store: storeIn(texts) };
  const first = await startCluster(options);
  const before = first.nodes.map(({ identity }) => identity.uuid);
  const boots = first.nodes.map(({ boot: { id: bootId } }) => bootId);
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
    assert.deepEqual(nodes.map(({ disk: { configured } }) => configured), [
      true,
      false,
    ]);
    assert.notDeepEqual(nodes.map(({ boot: { id: bootId } }) => bootId), boots);
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
    message: 'Cannot read saved state "cluster.json": it is not valid JSON',
  });
  await assert.rejects(
    start("1"),
    new ConfigError(
      'Cannot read saved state "cluster.json": it is not a JSON object',
    ),
  );
  await assert.rejects(
    start('{"id":"x"}'),
    new ConfigError(
      'Cannot read saved state "cluster.json": it has no "secrets"',
    ),
  );
});

Deno.test("what was installed, and what was wiped, is so when the process starts again", async () => {
  const pace = { stopMs: 10, downMs: 0, installMs: 0 };
  const options = {
    workers: 2,
    userDisks: 1,
    pace,
    store: storeIn(new Map<string, string>()),
  };
  const first = await startCluster(options);
  using one = clientOf(first, "10.5.0.3");
  using two = clientOf(first, "10.5.0.4");
  await one.machine.upgrade({ image: "x.io/installer:v1.12.99" });
  await two.machine.reset({ userDisksToWipe: ["/dev/vdb"] });
  await first.settled();
  await first.stop();
  await withCluster(options, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]!.version!.tag, "v1.12.99");
    const [, upgraded, wiped] = cluster.nodes;
    assert.deepEqual(
      upgraded!.disk.bootEntries!.installed.map(({ name }) => name),
      [
        "Talos-v1.12.11.efi",
        "Talos-v1.12.99.efi",
      ],
    );
    assert.deepEqual(
      [wiped!.disk.configured, wiped!.disk.bootEntries, wiped!.disk.userDisks],
      [false, undefined, [{ name: "vdb", partitions: [] }]],
    );
  });
});
