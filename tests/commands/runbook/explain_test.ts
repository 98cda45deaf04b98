import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("runbook explain prints an entry with inputs, outputs, timeout and example", async () => {
  const { out, status } = await run("runbook explain k8s.object glob");
  assert.equal(status, 0);
  assert.match(out, /^CHECK: +k8s\.object\nSUMMARY: /);
  assert.match(out, /\nINPUTS:\n {2}\w+ +string +required /);
  assert.match(out, /\nEXAMPLE:\n {2}- id: object\n {4}gate:\n/);
  assert.match(out, /\nFUNCTION: +glob\n/);
});

Deno.test("runbook explain lists all names, and suggests the nearest for a wrong one", async () => {
  const { out } = await run("runbook explain");
  assert.match(out, /^etcd\.snapshot +module +\S/m);
  assert.match(out, /^node\.kubeletHealthy +check +\S/m);
  assert.match(out, /^node +value +The node$/m);
  const { err, status } = await run("runbook explain k8s.nodeRedy");
  assert.equal(status, 2);
  assert.match(err, /Did you mean "k8s\.nodeReady"\?/);
});
