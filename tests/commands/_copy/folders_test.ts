import assert from "node:assert/strict";
import { folders, isThere } from "../../../commands/_copy/folders.ts";

import { tree, withFolder } from "./_tree.ts";

Deno.test("folders leads through no link and no file", async () => {
  await withFolder(async (root) => {
    await Deno.symlink(".", `${root}/link`);
    await Deno.writeTextFile(`${root}/file`, "");
    const into = folders(root, "linux");
    assert.deepEqual(await into.parent(["link", "x"]), {
      refused: "passes through a link",
    });
    assert.deepEqual(await into.parent(["file", "x"]), {
      refused: "passes through something that is not a directory",
    });
    assert.equal(await into.folder(["link"], 0o755), "already exists");
  });
});

Deno.test("folders listed twice end with their last mode", async () => {
  await withFolder(async (root) => {
    const into = folders(root, "linux");
    await into.folder(["opened"], 0o500);
    await into.folder(["opened"], 0o750);
    await into.folder(["locked"], 0o750);
    await into.folder(["locked"], 0o500);
    await into.finish();
    assert.deepEqual(await tree(root), {
      locked: "0500 folder",
      opened: "0750 folder",
    });
  });
});

Deno.test("isThere sees a link to nothing", async () => {
  await withFolder(async (root) => {
    await Deno.symlink("nothing", `${root}/link`);
    assert.equal(await isThere(`${root}/link`), true);
    assert.equal(await isThere(`${root}/other`), false);
  });
});
