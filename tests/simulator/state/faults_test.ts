import assert from "node:assert/strict";
import { faults, triggerFault } from "../../../simulator/state/faults.ts";
import { madeNodes } from "../_node.ts";

Deno.test("every fault is described", () => {
  for (const [name, description] of Object.entries(faults)) {
    assert.match(name, /^[a-z]+(-[a-z]+)*$/);
    assert.match(description, /^[A-Z].*[^.]$/);
  }
});

Deno.test("a fault strikes so many calls of its method, and no others", async () => {
  const [node] = await madeNodes();
  assert.equal(triggerFault(node!, "slow", "Version"), undefined);
  node!.faults.set("slow", {
    method: "Version",
    remaining: 2,
    triggered: false,
  });
  const struck = ["Version", "Memory", "Version", "Version"].map((method) =>
    Boolean(triggerFault(node!, "slow", method))
  );
  assert.deepEqual(struck, [true, false, true, false]);
});

Deno.test("a fault that is about one method leaves others alone without being told", async () => {
  const [node] = await madeNodes();
  node!.faults.set("truncated-copy", { remaining: Infinity, triggered: false });
  assert.equal(triggerFault(node!, "truncated-copy", "Read"), undefined);
  assert.ok(triggerFault(node!, "truncated-copy", "Copy"));
});
