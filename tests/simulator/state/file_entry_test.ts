import assert from "node:assert/strict";
import {
  device,
  directory,
  kernelText,
  link,
  sizeIn,
  text,
  writeOnly,
} from "../../../simulator/state/file_entry.ts";
import { bootedNode } from "../_node.ts";
import { largeFile } from "../files/_large_file.ts";

Deno.test("a large file has the size it claims, and does not compress", async () => {
  const node = await bootedNode();
  const file = largeFile(150_000);
  const parts = [...file.read!(node)];
  assert.deepEqual(parts.map(({ length }) => length), [65536, 65536, 18928]);
  assert.equal(new Set(parts[0]).size, 256);
});

Deno.test("files show the size that a kernel shows", async () => {
  const node = await bootedNode();
  const sizes = [
    text("four"),
    kernelText("four"),
    writeOnly(),
    link("/etc"),
    directory({}),
    device(true),
  ];
  assert.deepEqual(sizes.map((entry) => sizeIn(node, entry)), [
    4,
    0,
    0,
    4,
    4096,
    0,
  ]);
});
