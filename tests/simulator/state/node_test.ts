import assert from "node:assert/strict";
import { madeNodes, noon } from "../_node.ts";

Deno.test("a node that was made is off", async () => {
  const [node] = await madeNodes();
  assert.deepEqual([
    node!.boot.reachable,
    node!.boot.ready,
    node!.boot.stage,
    node!.boot.id,
  ], [
    false,
    false,
    0,
    "",
  ]);
});

Deno.test("a node's clock is off by what the fault says", async () => {
  const [node] = await madeNodes();
  assert.equal(node!.clock.now(), noon);
  node!.faults.set("clock-skew", { remaining: Infinity, triggered: false });
  assert.equal(node!.clock.now(), noon + 3_600_000);
  node!.faults.set("clock-skew", {
    ms: -5,
    remaining: Infinity,
    triggered: false,
  });
  assert.equal(node!.clock.now(), noon - 5);
});
