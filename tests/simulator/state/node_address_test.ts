import assert from "node:assert/strict";
import { answeringNode } from "../../../simulator/state/node_address.ts";
import { makeNodes } from "../_node.ts";

Deno.test("a node answers for itself unless its address has moved", async () => {
  const [first, second, third] = await makeNodes({ controlplanes: 3 });
  assert.equal(answeringNode(first!), first);
  first!.faults.set("vip-moves", { remaining: Infinity, triggered: false });
  assert.equal(answeringNode(first!), third);
  first!.faults.set("vip-moves", {
    node: "lab-controlplane-2",
    remaining: Infinity,
    triggered: false,
  });
  assert.equal(answeringNode(first!), second);
  const [alone] = await makeNodes();
  alone!.faults.set("vip-moves", { remaining: Infinity, triggered: false });
  assert.equal(answeringNode(alone!), alone);
});
