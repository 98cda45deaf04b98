import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { findFile } from "../../../simulator/files/walk.ts";
import { link, text } from "../../../simulator/state/file_entry.ts";
import { bootedNode } from "../_node.ts";

const stat = { follow: true, operation: "stat" };

Deno.test("paths lead through links, dots and directories that do not exist", async () => {
  const node = await bootedNode();
  node.files.set("/opt/deep/er/file", text("x"));
  const withRoot = (path: string) => findFile(node, path, stat).path;
  assert.equal(withRoot("/lib/os-release"), "/etc/os-release");
  assert.equal(withRoot("/etc/../opt/./deep//er"), "/opt/deep/er");
  assert.equal(withRoot("/../.."), "/");
  assert.equal(
    findFile(node, "/lib", { follow: false, operation: "lstat" }).path,
    "/lib",
  );
});

Deno.test("links that lead in a circle end", async () => {
  const node = await bootedNode();
  node.files.set("/opt/a", link("b"));
  node.files.set("/opt/b", link("a"));
  assert.throws(
    () => findFile(node, "/opt/a", stat),
    new RpcError("UNKNOWN", "stat /opt/a: too many levels of symbolic links"),
  );
});
