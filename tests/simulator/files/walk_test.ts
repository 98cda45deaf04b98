import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { baseOf, findFile, walkFiles } from "../../../simulator/files/walk.ts";
import { link, text } from "../../../simulator/state/file_entry.ts";
import { bootedNode } from "../_node.ts";

const stat = { follow: true, operation: "stat" };

Deno.test("paths lead through links, dots and directories that do not exist", async () => {
  const node = await bootedNode();
  node.files.set("/opt/deep/er/file", text("x"));
  const pathOf = (path: string) => findFile(node, path, stat).path;
  assert.equal(pathOf("/lib/os-release"), "/etc/os-release");
  assert.equal(pathOf("/etc/../opt/./deep//er"), "/opt/deep/er");
  assert.equal(pathOf("/../.."), "/");
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

Deno.test("names that every object has are no files", async () => {
  const node = await bootedNode();
  assert.throws(() => findFile(node, "/constructor", stat), {
    code: "NOT_FOUND",
  });
});

Deno.test("a walk gives a directory before what is in it, sorted by name", async () => {
  const node = await bootedNode();
  for (const path of ["/opt/b", "/opt/a/2", "/opt/a/1"]) {
    node.files.set(path, text(""));
  }
  const start = findFile(node, "/opt", stat);
  const walked = (depth: number) =>
    [...walkFiles(node, start, depth)].map(({ relative }) => relative);
  assert.deepEqual(walked(-1), [".", "a", "a/1", "a/2", "b"]);
  assert.deepEqual(walked(1), [".", "a", "b"]);
  assert.deepEqual(
    [...walkFiles(node, findFile(node, "/opt/b", stat), -1)].map((
      { relative },
    ) => relative),
    ["b"],
  );
  assert.equal(baseOf("/opt/b"), "b");
});
