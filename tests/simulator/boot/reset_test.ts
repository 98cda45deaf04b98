import assert from "node:assert/strict";
import { resetNode } from "../../../simulator/boot/reset.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { bootedNode } from "../_node.ts";

const nothing = {
  graceful: false,
  reboots: false,
  system: "spared",
  userDisks: [],
} as const;

Deno.test("a reset that spares everything stops the node, and no more", async () => {
  const node = await bootedNode();
  await resetNode(node, nothing);
  assert.deepEqual(
    [
      node.boot.stage,
      node.disk.configured,
      node.disk.bootEntries !== undefined,
    ],
    [Stage.RESETTING, true, true],
  );
  assert.equal(node.boot.power.signal.aborted, true);
});

Deno.test("the node is unreachable from the moment its disks are wiped", async () => {
  const node = await bootedNode();
  let wasReachable: boolean | undefined;
  node.save = () => {
    wasReachable ??= node.boot.reachable;
    return Promise.resolve();
  };
  await resetNode(node, { ...nothing, system: "all" });
  assert.equal(wasReachable, false);
  assert.deepEqual([node.disk.configured, node.disk.bootEntries], [
    false,
    undefined,
  ]);
});

Deno.test("a reset node that boots again has the name and kind it was made with", async () => {
  const node = await bootedNode();
  node.identity = {
    ...node.identity,
    hostname: "renamed",
    address: "10.1.1.1",
  };
  node.disk.configuration = "machine: {type: worker}\n";
  await resetNode(node, { ...nothing, reboots: true, system: ["STATE"] });
  assert.equal(node.disk.configuration, undefined);
  assert.equal(node.boot.stage, Stage.MAINTENANCE);
  assert.deepEqual(node.identity, node.origin);
});
