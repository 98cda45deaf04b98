import assert from "node:assert/strict";
import { firstEntry, install } from "../../../simulator/boot/boot_entries.ts";
import { metaKey } from "../../../simulator/node/meta.ts";
import { panic } from "../../../simulator/boot/panic.ts";
import { bootedNode } from "../_node.ts";

const { entries } = install(firstEntry({ tag: "v1.12.0" }), { tag: "v1.13.0" });

Deno.test("a node whose first boot behind an upgrade fails goes back", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = entries;
  node.disk.meta.set(
    metaKey.upgrade,
    new TextEncoder().encode("Talos-v1.12.0.efi"),
  );
  await panic(node);
  assert.equal(node.disk.bootEntries.chosen, "Talos-v1.12.0.efi");
  assert.equal(node.disk.meta.size, 0);
});

Deno.test("a node goes back to nothing when there is nothing, and not when the upgrade has worked", async () => {
  const node = await bootedNode();
  node.disk.bootEntries = entries;
  node.disk.meta.set(metaKey.upgrade, new Uint8Array());
  await panic(node);
  assert.equal(node.disk.meta.size, 0);
  await panic(node);
  assert.equal(node.disk.bootEntries.chosen, "Talos-v1.13.0.efi");
});
