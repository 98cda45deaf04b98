import assert from "node:assert/strict";
import {
  applyLive,
  applyOnTrial,
  endTrial,
  persist,
} from "../../simulator/live_configuration.ts";
import {
  machineConfig,
  persistentConfig,
} from "../../simulator/machine_config.ts";
import { manualClock } from "./_clock.ts";
import { bootedNode } from "./_node.ts";

Deno.test("a configuration on the disk is not yet what the node runs with", async () => {
  const node = await bootedNode();
  const before = machineConfig(node);
  const text = `${before}# other\n`;
  await persist(node, text);
  assert.deepEqual([machineConfig(node), persistentConfig(node)], [
    before,
    text,
  ]);
  assert.equal(await applyLive(node, text), false);
  assert.deepEqual([machineConfig(node), node.liveConfiguration], [
    text,
    undefined,
  ]);
});

Deno.test("only resources that say something else get a new version", async () => {
  const node = await bootedNode();
  const from = node.resources.changes.end();
  await applyLive(node, `${machineConfig(node)}# other\n`);
  const { changes } = node.resources;
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

Deno.test("a trial ends with its time, or because somebody ends it", async () => {
  const clock = manualClock();
  const node = await bootedNode({ clock });
  const before = machineConfig(node);
  const text = `${before}# other\n`;
  await applyOnTrial(node, text, 1000);
  endTrial(node);
  await clock.advance(5000);
  assert.equal(machineConfig(node), text);
  assert.equal(node.underWay.trial, undefined);
});
