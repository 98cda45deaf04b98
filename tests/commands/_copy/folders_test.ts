import assert from "node:assert/strict";
import { folders, isThere } from "../../../commands/_copy/folders.ts";
import { has, needs, posix, root as rootRights } from "../../_needs.ts";
import { tree, withFolder } from "./_tree.ts";

Deno.test("folders makes the folders something goes to", async () => {
  await withFolder(async (root) => {
    const into = folders(root, "linux");
    assert.deepEqual(await into.parent(["a", "b", "file"]), {
      path: `${root}/a/b/file`,
    });
    assert.deepEqual(await tree(root), {
      "a": "0755 folder",
      "a/b": "0755 folder",
    });
  });
});

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

Deno.test("folders leaves the mode of what was there", async () => {
  await withFolder(async (root) => {
    await Deno.mkdir(`${root}/old`, { mode: 0o700 });
    const into = folders(root, "linux");
    await into.folder(["old"], 0o777);
    await into.folder(["new"], 0o300);
    assert.deepEqual(await tree(root), {
      new: "0700 folder",
      old: "0700 folder",
    });
    await into.finish();
    assert.equal(((await Deno.stat(`${root}/new`)).mode ?? 0) & 0o777, 0o300);
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

/** Makes a locked folder in a locked folder, as somebody whom the locks stop. */
const locking = `
const [root, source] = Deno.args;
const { folders } = await import(source);
const into = folders(root, "linux");
await into.folder(["above"], 0);
await into.folder(["above", "below"], 0o500);
await into.finish();`;

Deno.test({
  name: "folders locks the deepest ones first, which nobody reaches later",
  ...needs(posix, ...has(rootRights) ? ["setpriv"] as const : []),
  async fn() {
    await withFolder(async (folder) => {
      const root = `${folder}/root`;
      await Deno.mkdir(root);
      await Deno.chmod(folder, 0o777);
      await Deno.chmod(root, 0o777);
      // Nothing is locked for root.
      const drop = Deno.uid() === 0
        ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        : [];
      const source = import.meta.resolve(
        "../../../commands/_copy/folders.ts",
      );
      const { code, stderr } = await new Deno.Command("env", {
        args: [
          `DENO_DIR=${folder}/cache`,
          ...drop,
          ...[Deno.execPath(), "eval", "--no-config", locking, root, source],
        ],
        env: { DENO_NO_UPDATE_CHECK: "1" },
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      await Deno.chmod(`${root}/above`, 0o700);
      assert.deepEqual(await tree(root), {
        "above": "0700 folder",
        "above/below": "0500 folder",
      });
    });
  },
});

Deno.test("folders knows which files were written", () => {
  const into = folders("/t", "linux");
  assert.equal(into.written(["a"]), undefined);
  into.wrote("/t/a");
  assert.equal(into.written(["a"]), "/t/a");
});

Deno.test("folders names what is not complete beside its place, each time anew", () => {
  const into = folders("/t", "linux");
  const [one, two] = [into.partial("/t/d/a"), into.partial("/t/d/a")];
  assert.match(one, /^\/t\/d\/\.osctl-[0-9a-f]{8}-0\.partial$/);
  assert.match(two, /^\/t\/d\/\.osctl-[0-9a-f]{8}-1\.partial$/);
});

Deno.test("isThere sees a link to nothing", async () => {
  await withFolder(async (root) => {
    await Deno.symlink("nothing", `${root}/link`);
    assert.equal(await isThere(`${root}/link`), true);
    assert.equal(await isThere(`${root}/other`), false);
  });
});
