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
    [node.stage, node.configured, node.boot !== undefined],
    [Stage.RESETTING, true, true],
  );
  assert.equal(node.running.signal.aborted, true);
});

Deno.test("nobody reaches the node from the moment its disks are wiped", async () => {
  const node = await bootedNode();
  let wasReachable: boolean | undefined;
  node.save = () => {
    wasReachable ??= node.reachable;
    return Promise.resolve();
  };
  await resetNode(node, { ...nothing, system: "all" });
  assert.equal(wasReachable, false);
  assert.deepEqual([node.configured, node.boot], [false, undefined]);
});

Deno.test("a reset node that boots again has the name and kind it was made with", async () => {
  const node = await bootedNode();
  node.identity = {
    ...node.identity,
    hostname: "renamed",
    address: "10.1.1.1",
  };
  node.configuration = "machine: {type: worker}\n";
  await resetNode(node, { ...nothing, reboots: true, system: ["STATE"] });
  assert.equal(node.configuration, undefined);
  assert.equal(node.stage, Stage.MAINTENANCE);
  assert.deepEqual(node.identity, node.origin);
});
