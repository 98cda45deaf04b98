import assert from "node:assert/strict";
import {
  applyLive,
  endTrial,
  saveConfiguration,
  tryConfiguration,
} from "../../../simulator/node/live_configuration.ts";
import {
  machineConfig,
  persistentConfig,
} from "../../../simulator/state/machine_config.ts";
import {
  ApplyConfigurationRequest_Mode as Mode,
} from "../../../transport/gen/machine.ts";
import { manualClock } from "../_clock.ts";
import {
  apply,
  configOf,
  shown,
  withAddress,
  withSysctl,
  withWorker,
} from "../_configuration.ts";
import { clientOf } from "../_faults.ts";
import { bootedNode } from "../_node.ts";

Deno.test("a configuration on the disk is not yet what the node runs with", async () => {
  const node = await bootedNode();
  const before = machineConfig(node);
  const text = `${before}# other\n`;
  await saveConfiguration(node, text);
  assert.deepEqual([machineConfig(node), persistentConfig(node)], [
    before,
    text,
  ]);
  assert.equal(await applyLive(node, text), false);
  assert.deepEqual([machineConfig(node), node.boot.liveConfiguration], [
    text,
    undefined,
  ]);
});

Deno.test("only resources that say something else get a new version", async () => {
  const node = await bootedNode();
  const from = node.boot.resources.changes.end();
  await applyLive(node, `${machineConfig(node)}# other\n`);
  const { changes } = node.boot.resources;
  const changed = Array.from(
    { length: changes.end() - from },
    (_, index) => changes.at(from + index).resource,
  );
  assert.deepEqual(changed.map(({ type, id }) => `${type} ${id}`), [
    "MachineConfigs.config.talos.dev v1alpha1",
  ]);
});

Deno.test("a node that another address is given has moved, and comes back", async () => {
  const node = await bootedNode();
  const before = machineConfig(node);
  const there = before.replace(
    /^ {4}network:.*\n/m,
    "    network: {interfaces: [{interface: eth0, addresses: [10.9.9.9/8]}]}\n",
  );
  assert.equal(await applyLive(node, there), true);
  assert.equal(node.identity.address, "10.9.9.9");
  assert.equal(await applyLive(node, there), false);
  assert.equal(await applyLive(node, before), true);
  assert.deepEqual(node.identity, node.origin);
});

Deno.test("a kubelet is restarted when another CA is accepted, and for nothing that is not its own", async () => {
  await withWorker(async (client, cluster) => {
    const { boot } = cluster.nodes[1]!;
    const starts = () =>
      boot.logs.get("kubelet")!.end() - boot.logs.get("kubelet")!.first();
    const [before, text] = [starts(), configOf(cluster)];
    await apply(client, withSysctl(text));
    assert.equal(starts(), before);
    const crt = /^cluster:\n[^]*? {8}crt: (\S+)/m.exec(text)![1];
    await apply(
      client,
      text.replace(
        "cluster:\n",
        `cluster:\n    acceptedCAs:\n        - crt: ${crt}\n`,
      ),
    );
    // Its last line, and those of a start.
    assert.equal(starts(), 2 * before + 1);
    assert.equal(boot.services.get("kubelet")?.state, "Running");
  });
});

Deno.test("a trial ends with its time, or when it is ended", async () => {
  const clock = manualClock();
  const node = await bootedNode({ clock });
  const before = machineConfig(node);
  const text = `${before}# other\n`;
  await tryConfiguration(node, text, 1000);
  endTrial(node);
  await clock.advance(5000);
  assert.equal(machineConfig(node), text);
  assert.equal(node.boot.trial, undefined);
});

Deno.test("a configuration on trial goes back by itself when its time is up", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const text = withSysctl(before);
    const { mode, modeDetails } = await apply(client, text, {
      mode: Mode.TRY,
      seconds: 90,
    });
    assert.deepEqual([mode, modeDetails], [
      Mode.TRY,
      "Applied configuration without a reboot\nThe config is applied in 'try' mode and will be automatically reverted back in 1m30s",
    ]);
    assert.deepEqual(await shown(client), { active: text, persistent: before });
    await clock.advance(89_000);
    assert.equal((await shown(client)).active, text);
    await clock.advance(1_000);
    await cluster.settled();
    assert.deepEqual(await shown(client), {
      active: before,
      persistent: before,
    });
  }, { clock });
});

Deno.test("any other configuration ends a trial, even one that is refused", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const tried = withSysctl(before);
    const isOver = async () => {
      await clock.advance(120_000);
      await cluster.settled();
      return (await shown(client)).active;
    };
    await apply(client, tried, { mode: Mode.TRY });
    await apply(client, tried, { mode: Mode.NO_REBOOT });
    assert.equal(await isOver(), tried);
    const second = withSysctl(before, "2");
    await apply(client, second, { mode: Mode.TRY });
    await assert.rejects(apply(client, "a: ["));
    assert.equal(await isOver(), second);
    assert.equal((await shown(client)).persistent, tried);
  }, { clock });
});

Deno.test("a trial of a trial goes back to the first", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const [one, two] = [withSysctl(before, "1"), withSysctl(before, "2")];
    await apply(client, one, { mode: Mode.TRY, seconds: 30 });
    await apply(client, two, { mode: Mode.TRY });
    await clock.advance(30_000);
    await cluster.settled();
    assert.equal((await shown(client)).active, two);
    await clock.advance(30_000);
    await cluster.settled();
    assert.deepEqual(await shown(client), { active: one, persistent: before });
  }, { clock });
});

Deno.test("a new address on trial is abandoned when the time is up", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const text = withAddress(configOf(cluster));
    await assert.rejects(apply(client, text, { mode: Mode.TRY }), {
      code: "UNAVAILABLE",
    });
    using moved = clientOf(cluster, "10.5.0.77");
    await moved.machine.hostname({});
    await clock.advance(60_000);
    await cluster.settled();
    await client.machine.hostname({});
    await assert.rejects(moved.machine.hostname({}), { code: "UNAVAILABLE" });
  }, { clock });
});

Deno.test("a configuration that turns discovery off takes the node out of the list of members", async () => {
  const node = await bootedNode();
  const before = machineConfig(node);
  const off = before.replace(/(discovery:\n +enabled:) true/, "$1 false");
  assert.notEqual(off, before);
  const listed = () =>
    ["Members.cluster.talos.dev", "Affiliates.cluster.talos.dev"]
      .map((type) =>
        node.cluster.shared.list({ namespace: "cluster", type }).length
      );
  assert.deepEqual(listed(), [1, 1]);
  await applyLive(node, off);
  assert.deepEqual(listed(), [0, 0]);
  await applyLive(node, before);
  assert.deepEqual(listed(), [1, 1]);
});
