import assert from "node:assert/strict";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { noon } from "../_node.ts";

Deno.test("counters grow with the time since the boot, and totals add up", async () => {
  let now = noon;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  await withCluster({ clock }, async (cluster) => {
    // The certificates are of the simulated time, too.
    now = noon + 100_000;
    const identity = await cluster.identify(["os:reader"]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    const { messages: [stat] } = await client.machine.systemStat({});
    assert.deepEqual(
      [stat!.bootTime, stat!.cpu.length, stat!.contextSwitches],
      [BigInt(noon / 1000), 4, 520_000n],
    );
    assert.equal(stat!.cpuTotal!.idle, 4 * stat!.cpu[0]!.idle);
    const { messages: [network] } = await client.machine.networkDeviceStats({});
    assert.equal(
      network!.total!.rxBytes,
      network!.devices.reduce((sum, { rxBytes }) => sum + rxBytes, 0n),
    );
    const { messages: [disks] } = await client.machine.diskStats({});
    assert.equal(disks!.devices.length, 5);
    assert.equal(disks!.total!.readCompleted, 18_000n);
    assert.equal(
      (await client.machine.cPUInfo({})).messages[0]!.cpuInfo.length,
      4,
    );
    assert.equal(
      (await client.machine.cPUFreqStats({})).messages[0]!.cpuFreqStats[0]!
        .currentFrequency,
      0n,
    );
    const load = async () =>
      (await client.machine.loadAvg({})).messages[0]!.load1;
    const busyAt = async () => {
      const { messages: [stat] } = await client.machine.systemStat({});
      const { user, idle } = stat!.cpuTotal!;
      return { user, idle, load: await load() };
    };
    const begun = now;
    const shares = new Set<string>();
    const loads = new Set<number>();
    for (let last = await busyAt(); now < begun + 250_000;) {
      now += 50_000;
      const next = await busyAt();
      assert.ok(next.user > last.user && next.idle > last.idle);
      assert.ok(next.load > 0.1 && next.load < 0.7, String(next.load));
      shares.add(((next.user - last.user) / 200).toFixed(3));
      loads.add(next.load);
      last = next;
    }
    // A node is not as busy in one minute as in the next.
    assert.ok(shares.size >= 3 && loads.size >= 3, [...shares].join(" "));
    now = begun;
    assert.equal(
      (await client.machine.memory({})).messages[0]!.meminfo!.memtotal,
      4_026_028n,
    );
    const request = { namespace: "k8s.io", driver: 1 } as const;
    const used = async () => {
      const { messages: [reply] } = await client.machine.stats(request);
      return reply!.stats.filter(({ id, podId }) => id !== podId);
    };
    const before = await used();
    now += 60_000;
    const after = await used();
    assert.ok(before.length > 0);
    for (const [index, { cpuUsage, memoryUsage }] of before.entries()) {
      const grown = Number(after[index]!.cpuUsage - cpuUsage) / 60e9;
      assert.ok(grown >= 0.01 && grown <= 0.04, String(grown));
      assert.notEqual(after[index]!.memoryUsage, memoryUsage);
    }
  });
});
