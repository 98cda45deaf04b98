import assert from "node:assert/strict";
import { logKernel } from "../../../simulator/node/kernel_log.ts";
import { bootedNode } from "../_node.ts";

Deno.test("what init says is in the kernel log and in its own log", async () => {
  const node = await bootedNode();
  logKernel(node, "hello");
  const last = node.boot.kernelLog.at(node.boot.kernelLog.end() - 1);
  assert.deepEqual(last, {
    facility: "user",
    priority: "warning",
    time: node.clock.now(),
    text: "[talos] hello",
  });
  const log = node.boot.logs.get("machined")!;
  assert.equal(
    log.at(log.end() - 1),
    "2026/03/01 12:00:00.000000 [talos] hello",
  );
});

Deno.test("the kernel log starts with the kernel", async () => {
  const { boot: { kernelLog } } = await bootedNode();
  assert.match(kernelLog.at(0).text, /^Linux version 6\.18\.42-talos /);
  assert.match(kernelLog.at(1).text, /^Command line: talos\.platform=metal /);
});
