import assert from "node:assert/strict";
import { archiveEntries } from "../../../lib/archive/entries.ts";
import { withFolder } from "../../_folder.ts";
import { create, filesIn } from "./_create.ts";
import { testRegistry } from "./_registry.ts";

Deno.test("a layout has one image with all files in its layer", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    await create(registry.host, folder, { layout: "oci" });
    const cache = `${folder}/cache`;
    const json = async (path: string) =>
      JSON.parse(await Deno.readTextFile(`${cache}/${path}`));
    assert.deepEqual(await json("oci-layout"), { imageLayoutVersion: "1.0.0" });
    const { manifests: [image] } = await json("index.json");
    assert.deepEqual(image.platform, { architecture: "amd64", os: "linux" });
    const blob = ({ digest }: { readonly digest: string }) =>
      `blobs/sha256/${digest.slice(7)}`;
    const { layers: [layer], config } = await json(blob(image));
    assert.equal((await json(blob(config))).rootfs.diff_ids.length, 1);
    const { size } = await Deno.stat(`${cache}/${blob(layer)}`);
    assert.equal(layer.size, size);
    using file = await Deno.open(`${cache}/${blob(layer)}`);
    const names: string[] = [];
    for await (const { name, kind } of archiveEntries(file.readable)) {
      names.push(`${kind} ${name}`);
    }
    assert.deepEqual(names.slice(0, 2).map((name) => name.slice(0, 23)), [
      "folder blob/",
      "file blob/sha256-".padEnd(17) + names[1]!.slice(17, 23),
    ]);
    assert.equal(names.filter((name) => name.startsWith("file")).length, 6);
    assert.deepEqual(
      await filesIn(folder),
      (await filesIn(cache)).map((one) => `cache/${one}`),
    );
  });
});

for (const layout of ["flat", "oci"] as const) {
  Deno.test(`two processes that create the same ${layout} cache take turns, and both succeed`, async () => {
    await using registry = testRegistry();
    await withFolder({}, async (folder) => {
      const one = () => create(registry.host, folder, { layout });
      await Promise.all([one(), one()]);
      const files = await filesIn(`${folder}/cache`);
      assert.ok(files.length > 2, files.join(" "));
      assert.deepEqual(
        await filesIn(folder),
        files.map((file) => `cache/${file}`),
      );
    });
  });
}
