import assert from "node:assert/strict";
import { standIn } from "../../../simulator/cluster/shared_address.ts";
import { madeNodes } from "../_node.ts";

Deno.test("a node answers for itself unless its address has moved", async () => {
  const [first, second, third] = await madeNodes({ controlplanes: 3 });
  assert.equal(standIn(first!), first);
  first!.faults.set("vip-moves", { left: Infinity, begun: false });
  assert.equal(standIn(first!), third);
  first!.faults.set("vip-moves", {
    node: "lab-controlplane-2",
    left: Infinity,
    begun: false,
  });
  assert.equal(standIn(first!), second);
  const [alone] = await madeNodes();
  alone!.faults.set("vip-moves", { left: Infinity, begun: false });
  assert.equal(standIn(alone!), alone);
});
