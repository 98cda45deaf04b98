import assert from "node:assert/strict";
import { bootNode } from "../../simulator/boot.ts";
import { powerOff } from "../../simulator/power_off.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../transport/gen/machine_events.ts";
import { madeNodes, stopped } from "./_node.ts";

Deno.test("a boot ends with a node that runs, is ready and can be reached", async () => {
  const [node] = await madeNodes();
  await bootNode(node!);
  const { stage, ready, reachable, services } = node!;
  assert.deepEqual([stage, ready, reachable, services.size], [
    Stage.RUNNING,
    true,
    true,
    11,
  ]);
});

Deno.test("a second boot starts everything anew", async () => {
  const [node] = await madeNodes();
  await bootNode(node!);
  const { bootId, events } = node!;
  const count = events.end();
  await bootNode(node!);
  assert.notEqual(node!.bootId, bootId);
  assert.equal(node!.events.end(), count);
});

Deno.test("a boot without power goes no further", async () => {
  const clock = {
    ...stopped,
    sleep() {
      powerOff(node!);
      return Promise.resolve();
    },
  };
  const [node] = await madeNodes({ clock, pace: { bootMs: 10 } });
  await bootNode(node!);
  assert.deepEqual([node!.stage, node!.reachable], [Stage.BOOTING, false]);
});

Deno.test("a node without configuration ends its boot in maintenance", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  await bootNode(node!);
  assert.deepEqual([node!.stage, node!.reachable], [Stage.MAINTENANCE, true]);
  assert.equal(node!.services.has("kubelet"), false);
});
