import assert from "node:assert/strict";
import { bootNode, powerOff } from "../../../simulator/boot/boot.ts";
import { bootTask, openNetwork } from "../../../simulator/boot/boot_tasks.ts";
import { installTask } from "../../../simulator/boot/installer.ts";
import { TaskFailure } from "../../../simulator/boot/run_sequence.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { makeNodes, stopped } from "../_node.ts";

Deno.test("a boot without power goes no further", async () => {
  const clock = {
    ...stopped,
    sleep() {
      powerOff(node!);
      return Promise.resolve();
    },
  };
  const [node] = await makeNodes({ clock, pace: { bootMs: 10 } });
  await bootNode(node!);
  assert.deepEqual([node!.boot.stage, node!.boot.reachable], [
    Stage.BOOTING,
    false,
  ]);
});

Deno.test("a node takes its name from its configuration", async () => {
  const [node] = await makeNodes();
  node!.disk.configuration = `machine:
  type: controlplane
  network: {hostname: renamed}
`;
  await bootTask(node!, "loadConfig");
  assert.equal(node!.identity.hostname, "renamed");
  assert.equal(node!.origin.hostname, "lab-controlplane-1");
});

Deno.test("the world is let in, unless the node is unavailable or has no power", async () => {
  const [node] = await makeNodes();
  await openNetwork(node!);
  assert.equal(node!.boot.reachable, true);
  node!.boot.reachable = false;
  await setFault(node!, "unavailable");
  await openNetwork(node!);
  assert.equal(node!.boot.reachable, false);
  await setFault(node!, "unavailable", false);
  powerOff(node!);
  await openNetwork(node!);
  assert.equal(node!.boot.reachable, false);
});

Deno.test("a node that could not be installed has no configuration either", async () => {
  const [node] = await makeNodes({ unconfigured: () => true });
  node!.disk.configured = true;
  await setFault(node!, "installer-fails");
  const install = installTask({ image: "x/installer:v1", upgrade: false });
  await assert.rejects(
    install(node!, "install"),
    new TaskFailure('task "upgrade" failed: exit code 1'),
  );
  assert.deepEqual([node!.disk.configured, node!.disk.bootEntries], [
    false,
    undefined,
  ]);
});
