import assert from "node:assert/strict";
import {
  changeKubeconfig,
  createKubeconfig,
  kindAt,
  readKubeconfigText,
} from "../../../config/kubeconfig/file.ts";
import { ConfigError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";

async function readMode(path: string) {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("kindAt tells folders, files and nothing, through links", async () => {
  await withFolder({ "file": "", "folder/": "" }, async (folder) => {
    await Deno.symlink("folder", `${folder}/link`);
    await Deno.symlink("gone", `${folder}/broken`);
    const kinds = ["file", "folder", "link", "broken", "gone", "gone/too"];
    const found = await Promise.all(
      kinds.map((name) => kindAt(`${folder}/${name}`)),
    );
    assert.deepEqual(found, [
      "file",
      "folder",
      "folder",
      "nothing",
      "nothing",
      "nothing",
    ]);
  });
});

Deno.test("createKubeconfig makes folders and a file that only its owner can read, and replaces nothing", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/.kube/config`;
    await createKubeconfig(path, "a");
    assert.equal(await Deno.readTextFile(path), "a");
    assert.equal(await readMode(path), 0o600);
    await assert.rejects(createKubeconfig(path, "b"), ConfigError);
    assert.equal(await readKubeconfigText(path), "a");
  });
});

Deno.test("changeKubeconfig keeps what was there, behind a link, too", async () => {
  await withFolder({ "real": "before" }, async (folder) => {
    await Deno.symlink("real", `${folder}/link`);
    assert.ok(await changeKubeconfig(`${folder}/link`, (text) => `${text}+`));
    assert.equal(await Deno.readTextFile(`${folder}/real`), "before+");
    assert.equal(await Deno.readTextFile(`${folder}/real.bak`), "before");
    assert.equal(await readMode(`${folder}/real.bak`), 0o600);
    assert.ok((await Deno.lstat(`${folder}/link`)).isSymlink);
  });
});

Deno.test("changeKubeconfig leaves a file alone that does not change", async () => {
  await withFolder({ "config": "same" }, async (folder) => {
    const path = `${folder}/config`;
    assert.equal(await changeKubeconfig(path, (text) => text), false);
    assert.deepEqual(
      (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name),
      ["config"],
    );
  });
});

Deno.test("changes at the same time all count", async () => {
  await withFolder({ "config": "" }, async (folder) => {
    const path = `${folder}/config`;
    await Promise.all(
      ["a", "b", "c", "d"].map((letter) =>
        changeKubeconfig(path, (text) => text + letter)
      ),
    );
    assert.deepEqual(
      [...await Deno.readTextFile(path)].toSorted().join(""),
      "abcd",
    );
  });
});

Deno.test("changes at the same time all count where there is no file, nor its folder", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/.kube/config`;
    await Promise.all(
      ["a", "b", "c", "d"].map((letter) =>
        changeKubeconfig(path, (text) => text + letter)
      ),
    );
    const text = await Deno.readTextFile(path);
    assert.deepEqual([...text].toSorted().join(""), "abcd");
    assert.equal(await readMode(path), 0o600);
  });
});
