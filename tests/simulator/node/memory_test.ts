import assert from "node:assert/strict";
import { memoryOf } from "../../../simulator/node/memory.ts";
import { madeNodes } from "../_node.ts";

Deno.test("no part of a node's memory is larger than the whole", async () => {
  const nodes = await madeNodes({ workers: 1 });
  assert.deepEqual(nodes.map((node) => memoryOf(node).memtotal), [
    4026028n,
    2013014n,
  ]);
  for (
    const { memtotal, memfree, buffers, cached, memavailable } of nodes.map(
      memoryOf,
    )
  ) {
    assert.ok(memfree + buffers + cached < memtotal);
    assert.ok(memavailable < memtotal);
  }
});
