import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { openLayout } from "../../../workflows/airgap/layout_store.ts";
import { hashBytes } from "../../../workflows/image_cache/fetch_blob.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const mediaType = "application/vnd.oci.image.manifest.v1+json";

function makeStored(text: string) {
  return { mediaType, digest: hashBytes(bytes(text)), bytes: bytes(text) };
}

Deno.test("a directory keeps images by name and digest, and says what is damaged", async () => {
  await withFolder({ "from": "content" }, async (folder) => {
    const path = `${folder}/images`;
    const store = await openLayout(path, "create");
    const image = { name: "quay.io/a:1", digest: undefined, sources: [] };
    const blob = {
      mediaType: "x",
      digest: hashBytes(bytes("content")),
      size: 7,
    };
    assert.equal(await store.hasBlob(image, blob), false);
    await store.putBlob(image, blob, `${folder}/from`);
    assert.equal(await store.hasBlob(image, blob), true);
    for (const text of ["one", "two"]) {
      const manifest = makeStored(text);
      await store.putManifest(image, manifest);
      await store.tag({ ...image, digest: manifest.digest }, manifest);
    }
    const again = await openLayout(path, "read");
    const { digest } = makeStored("two");
    // In the order of their digests.
    assert.deepEqual(again.images, [
      { name: image.name, digest, sources: [path] },
      { name: image.name, digest: makeStored("one").digest, sources: [path] },
    ]);
    assert.deepEqual(await again.manifest(image, digest), bytes("two"));
    assert.equal(await again.manifest(image, hashBytes(bytes("?"))), undefined);
    const file = `${again.blobs}/${blob.digest.slice(7)}`;
    await Deno.writeTextFile(file, "CONTENT");
    assert.equal(await again.hasBlob(image, blob), false);
    await assert.rejects(again.blob(image, blob), {
      message: `"${file}" is damaged: its content does not match its digest`,
    });
    await Deno.writeTextFile(`${again.blobs}/${digest.slice(7)}`, "TWO");
    await assert.rejects(again.manifest(image, digest), /is damaged/);
  });
});

Deno.test("a directory with other files is neither read nor filled", async () => {
  const files = {
    "other/file": "",
    "broken/oci-layout": "{}",
    "broken/index.json": '{"manifests": [{"digest": "../x"}]}',
    "lost/lost+found/": "",
  };
  await withFolder(files, async (folder) => {
    await assert.rejects(openLayout(`${folder}/other`, "create"), {
      name: "RefusedError",
      message: `"${folder}/other" holds other files`,
    });
    await assert.rejects(openLayout(`${folder}/other`, "read"), {
      name: "ConfigError",
      message: `"${folder}/other" is not an OCI layout`,
    });
    await assert.rejects(openLayout(`${folder}/broken`, "read"), {
      message:
        `"${folder}/broken/index.json" is not the index of an OCI layout`,
    });
    const { images } = await openLayout(`${folder}/lost`, "create");
    assert.deepEqual(images, []);
  });
});
