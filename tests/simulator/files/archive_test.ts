import assert from "node:assert/strict";
import { archive } from "../../../simulator/files/archive.ts";
import { findFile } from "../../../simulator/files/walk.ts";
import { largeFile } from "./_large_file.ts";
import { bootedNode } from "../_node.ts";

Deno.test("an archive that is not read any more stops being made", async () => {
  const node = await bootedNode();
  node.files.set("/opt/big", largeFile(2e9));
  const start = findFile(node, "/opt", { follow: true, operation: "lstat" });
  const stop = new AbortController();
  let size = 0;
  for await (
    const part of archive(node, start, { signal: stop.signal, onSkipped() {} })
  ) {
    size += part.length;
    if (size > 1e6) break;
  }
  assert.ok(size < 3e6);
});
