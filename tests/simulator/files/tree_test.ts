import assert from "node:assert/strict";
import { firstEntry } from "../../../simulator/release/boot_entries.ts";
import {
  type RegularFile,
  sizeIn,
} from "../../../simulator/state/file_entry.ts";
import { etcdFolder, loaderVariables } from "../../../simulator/files/tree.ts";
import { findFile, walkFiles } from "../../../simulator/files/walk.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootedNode, bootedNodes, madeNodes, noon } from "../_node.ts";

async function textOf(path: string): Promise<string> {
  const node = await bootedNode({
    clock: { now: () => noon, sleep: () => Promise.resolve() },
  });
  const { entry } = findFile(node, path, { follow: true, operation: "stat" });
  assert.equal(entry.kind, "file");
  if (entry.kind !== "file") return "";
  return [...entry.read!(node)].map((part) => new TextDecoder().decode(part))
    .join("");
}

Deno.test("files of the kernel say what the node's other answers say", async () => {
  assert.match(
    await textOf("/proc/sys/kernel/random/boot_id"),
    /^[0-9a-f-]{36}\n$/,
  );
  assert.match(await textOf("/proc/meminfo"), /^MemTotal: {8}4026028 kB\n/);
  assert.match(
    await textOf("/proc/mounts"),
    /\n\/dev\/vda4 \/var xfs rw,relatime 0 0\n/,
  );
  assert.equal(await textOf("/proc/uptime"), "0.00 0.00\n");
  assert.match(
    await textOf("/etc/hosts"),
    /\n10\.5\.0\.2 lab-controlplane-1\n/,
  );
});

Deno.test("every file of the tree can be reached", async () => {
  const node = await bootedNode();
  const start = findFile(node, "/", { follow: true, operation: "stat" });
  const paths = [...walkFiles(node, start, -1)].map(({ path }) => path);
  for (const path of ["/", "/proc/meminfo", "/var/log/containers"]) {
    assert.ok(paths.includes(path), path);
  }
  for (const path of paths) {
    findFile(node, path, { follow: false, operation: "lstat" });
  }
});

const path = "/var/lib/etcd/member/snap/db";

Deno.test("a control plane shows the database of its etcd, a worker no folder", async () => {
  const [controlPlane, worker] = await bootedNodes({ workers: 1 });
  assert.ok(controlPlane && worker);
  const { entry } = findFile(controlPlane, path, {
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
  node.disk.configured = false;
  assert.deepEqual(etcdFolder(node), {});
});

Deno.test("the entry to start and the one that was started are variables", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = { ...firstEntry({ tag: "v1.2.3" }), chosen: "x" };
  const contents = Object.entries(loaderVariables.entries).map(
    ([name, file]) => {
      const { read, size } = file as RegularFile<SimulatedNode>;
      const [bytes] = [...read!(node)];
      assert.equal(size(node), bytes!.length);
      return [name, bytes!.toHex()];
    },
  );
  assert.deepEqual(contents, [
    [
      "LoaderEntryDefault-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
      "0700000078000000",
    ],
    [
      "LoaderEntrySelected-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f",
      "0700000054006100" +
      "6c006f0073002d0076003100" +
      "2e0032002e0033002e006500660069000000",
    ],
  ]);
});

Deno.test("a node without a boot loader has empty ones", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = undefined;
  for (const file of Object.values(loaderVariables.entries)) {
    assert.equal((file as RegularFile<SimulatedNode>).size(node), 0);
  }
});
