import assert from "node:assert/strict";
import { mountTable } from "../../../simulator/node/mounts.ts";
import { madeNodes } from "../_node.ts";

Deno.test("nothing has more room free than it has, and every mount has its line", async () => {
  const [node] = await madeNodes();
  for (
    const { filesystem, target, size, available, line } of mountTable(node!)
  ) {
    assert.ok(available <= size);
    assert.ok(line.startsWith(`${filesystem} ${target} `));
  }
  assert.deepEqual(
    mountTable(node!).filter(({ size }) => size === 0).map(({ target }) =>
      target
    ),
    ["/proc", "/sys", "/sys/fs/cgroup"],
  );
});
