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
