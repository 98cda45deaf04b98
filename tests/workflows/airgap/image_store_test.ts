import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { upstream } from "../../_registries.ts";
import { placeStore } from "../../../workflows/airgap/image_store.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";
import {
  hashBytes,
  parseManifest,
} from "../../../workflows/image_cache/fetch_blob.ts";

Deno.test("a store of registries gets blobs into its folder, and does not leave them there", async () => {
  await using registry = upstream();
  const { host } = registry;
  const { signal } = new AbortController();
  const login = () => Promise.resolve(undefined);
  await withFolder({}, async (folder) => {
    const store = placeStore(
      { kind: "registry", text: "mirror", host, prefix: "p/", scheme: "http" },
      {
        registry: registryClient({ insecure: false, login, signal }),
        folder,
        progress() {},
        signal,
      },
    );
    const image = {
      name: "quay.io/team/app:v1",
      digest: undefined,
      sources: [],
    };
    assert.equal(store.toName(image), `${host}/p/team/app:v1`);
    const index = await store.manifest(image);
    assert.equal(hashBytes(index!), registry.findDigest("p/team/app:v1"));
    const [own] = parseManifest(index!, { text: "" }).manifests!;
    const manifest = await store.manifest(image, own!.digest);
    const { layers } = parseManifest(manifest!, { text: "" });
    assert.equal(await store.hasBlob(image, layers![0]!), true);
    registry.cuts = 1;
    const path = await store.blob(image, layers![0]!);
    assert.equal((await Deno.stat(path)).size, 50_000);
    await store.release(path);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
    registry.missing.add("p/team/app");
    assert.equal(await store.manifest(image), undefined);
    assert.equal(await store.hasBlob(image, layers![0]!), false);
  });
});
