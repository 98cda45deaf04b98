import assert from "node:assert/strict";
import { bootTask, openNetwork } from "../../simulator/boot_tasks.ts";
import { powerOff } from "../../simulator/power_off.ts";
import { setFault } from "../../simulator/set_fault.ts";
import { madeNodes } from "./_node.ts";

Deno.test("tasks start services, and bring what the node learns", async () => {
  const [node] = await madeNodes();
  await bootTask(node!, "startUdevd");
  assert.deepEqual([...node!.services.keys()], ["udevd"]);
  await bootTask(node!, "waitForUSB");
  const disks = { namespace: "runtime", type: "Disks.block.talos.dev" };
  assert.deepEqual(node!.resources.list(disks).map(({ id }) => id), [
    "loop0",
    "vda",
  ]);
  await bootTask(node!, "writeUdevRules");
  assert.equal(node!.services.size, 1);
});

Deno.test("a node takes its name from its configuration", async () => {
  const [node] = await madeNodes();
  node!.configuration = `machine:
  type: controlplane
  network: {hostname: renamed}
`;
  await bootTask(node!, "loadConfig");
  assert.equal(node!.identity.hostname, "renamed");
  assert.equal(node!.origin.hostname, "lab-controlplane-1");
});

Deno.test("the world is let in, unless the node is unavailable or has no power", async () => {
  const [node] = await madeNodes();
  await openNetwork(node!);
  assert.equal(node!.reachable, true);
  node!.reachable = false;
  await setFault(node!, "unavailable");
  await openNetwork(node!);
  assert.equal(node!.reachable, false);
  await setFault(node!, "unavailable", false);
  powerOff(node!);
  await openNetwork(node!);
  assert.equal(node!.reachable, false);
});
