import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../_cluster_store.ts";
import { openClient } from "../_faults.ts";

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

Deno.test("saved state: installations and wipes survive a restart of the process", async () => {
  const pace = { stopMs: 10, downMs: 0, installMs: 0 };
  const options = {
    workers: 3,
    userDisks: 1,
    pace,
    store: storeIn(new Map<string, string>()),
  };
  const first = await startCluster(options);
  using one = openClient(first, "10.5.0.3");
  using two = openClient(first, "10.5.0.4");
  await one.machine.upgrade({ image: "x.io/installer:v1.12.99" });
  await two.machine.reset({ userDisksToWipe: ["/dev/vdb"] });
  using three = openClient(first, "10.5.0.5");
  await three.machine.reset({
    reboot: true,
    systemPartitionsToWipe: [{ label: "EPHEMERAL", wipe: true }],
  });
  await first.settled();
  await first.stop();
  await withCluster(options, async (cluster) => {
    using client = openClient(cluster, "10.5.0.3");
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]!.version!.tag, "v1.12.99");
    const [, upgraded, wiped, partlyWiped] = cluster.nodes;
    assert.deepEqual(
      upgraded!.disk.bootEntries!.installed.map(({ name }) => name),
      ["Talos-v1.12.11.efi", "Talos-v1.12.99.efi"],
    );
    assert.deepEqual(
      [wiped!.disk.configured, wiped!.disk.bootEntries, wiped!.disk.userDisks],
      [false, undefined, [{ name: "vdb", partitions: [] }]],
    );
    // Otherwise its next boot would have the partitions from before the wipe.
    assert.deepEqual([...partlyWiped!.disk.wipes], [["EPHEMERAL", 1]]);
  });
});
