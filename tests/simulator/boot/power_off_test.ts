import assert from "node:assert/strict";
import { powerOff, untilPowerOn } from "../../../simulator/boot/power_off.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { bootedNode } from "../_node.ts";

Deno.test("a node without power says nothing and does nothing", async () => {
  const node = await bootedNode();
  powerOff(node);
  assert.deepEqual(
    [
      node.boot.reachable,
      node.boot.shutdown.signal.aborted,
      node.boot.power.signal.aborted,
    ],
    [false, true, true],
  );
});

Deno.test("a node gets its power back, unless it never returns", async () => {
  const node = await bootedNode();
  assert.equal(await untilPowerOn(node), true);
  await setFault(node, "never-returns", { calls: 1 });
  assert.equal(await untilPowerOn(node), false);
  assert.equal(await untilPowerOn(node), true);
});
