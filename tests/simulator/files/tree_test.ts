import assert from "node:assert/strict";
import { find, walk } from "../../../simulator/files/walk.ts";
import { bootedNode, noon } from "../_node.ts";

async function textOf(path: string): Promise<string> {
  const node = await bootedNode({
    clock: { now: () => noon, sleep: () => Promise.resolve() },
  });
  const { entry } = find(node, path, { follow: true, operation: "stat" });
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
  const start = find(node, "/", { follow: true, operation: "stat" });
  const paths = [...walk(node, start, -1)].map(({ path }) => path);
  assert.ok(paths.length > 60);
  for (const path of paths) {
    find(node, path, { follow: false, operation: "lstat" });
  }
});
