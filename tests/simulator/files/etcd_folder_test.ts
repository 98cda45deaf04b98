import assert from "node:assert/strict";
import { etcdFolder } from "../../../simulator/files/etcd_folder.ts";
import { sizeIn } from "../../../simulator/files/entry.ts";
import { find } from "../../../simulator/files/walk.ts";
import { bootedNodes, madeNodes } from "../_node.ts";

const path = "/var/lib/etcd/member/snap/db";

Deno.test("a control plane shows the database of its etcd, a worker no folder", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  assert.ok(controlPlane && worker);
  const { entry } = find(controlPlane, path, {
    follow: true,
    operation: "stat",
  });
  assert.ok(entry.kind === "file" && entry.read);
  const [bytes] = entry.read(controlPlane);
  assert.deepEqual(bytes, controlPlane.etcd.server.databaseFile());
  assert.equal(sizeIn(controlPlane, entry), bytes?.length);
  assert.deepEqual(etcdFolder(worker), {});
});

Deno.test("without data the folder is empty", async () => {
  const [node] = await madeNodes();
  assert.ok(node);
  const { etcd } = etcdFolder(node);
  assert.ok(etcd?.kind === "directory");
  assert.deepEqual(etcd.entries, {});
  node.configured = false;
  assert.deepEqual(etcdFolder(node), {});
});
