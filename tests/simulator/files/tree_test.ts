import assert from "node:assert/strict";
import { type RegularFile } from "../../../simulator/state/file_entry.ts";
import { etcdFolder, loaderVariables } from "../../../simulator/files/tree.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootedNode, makeNodes } from "../_node.ts";

Deno.test("without data the folder is empty", async () => {
  const [node] = await makeNodes();
  assert.ok(node);
  const { etcd } = etcdFolder(node);
  assert.ok(etcd?.kind === "directory");
  assert.deepEqual(etcd.entries, {});
  node.disk.configured = false;
  assert.deepEqual(etcdFolder(node), {});
});

Deno.test("a node without a boot loader has empty ones", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = undefined;
  for (const file of Object.values(loaderVariables.entries)) {
    assert.equal((file as RegularFile<SimulatedNode>).size(node), 0);
  }
});
