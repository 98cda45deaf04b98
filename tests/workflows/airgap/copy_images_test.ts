import assert from "node:assert/strict";
import { copyImages } from "../../../workflows/airgap/copy_images.ts";
import type { ImageStore } from "../../../workflows/airgap/image_store.ts";
import { hashBytes } from "../../../workflows/image_cache/fetch_blob.ts";

const encodeContent = (content: object) =>
  new TextEncoder().encode(JSON.stringify(content));

/** A store of manifests, and which digests it was asked for. */
function store(manifests: readonly Uint8Array<ArrayBuffer>[] = []) {
  const all = new Map(manifests.map((bytes) => [hashBytes(bytes), bytes]));
  const asked: string[] = [];
  const nothing = () => Promise.resolve();
  const place: ImageStore = {
    text: "the test",
    toName: ({ name }) => name,
    manifest(_, wanted = "") {
      asked.push(wanted);
      return Promise.resolve(all.get(wanted));
    },
    hasBlob: () => Promise.resolve(true),
    blob: () => Promise.reject(new Error("every blob is there")),
    release: nothing,
    putBlob: nothing,
    putManifest: nothing,
    tag: nothing,
  };
  return { place, asked };
}

async function copy(manifests: readonly Uint8Array<ArrayBuffer>[]) {
  const source = store(manifests);
  const [top] = manifests;
  const image = { name: "x/app:v1", digest: hashBytes(top!), sources: [] };
  const [result] = await Array.fromAsync(copyImages([image], {
    source: source.place,
    target: store().place,
    platforms: undefined,
    onImage() {},
    signal: new AbortController().signal,
  }));
  return { state: result?.state, reason: result?.reason, asked: source.asked };
}

const leaf = encodeContent({
  schemaVersion: 2,
  config: { mediaType: "a/b", digest: `sha256:${"0".repeat(64)}`, size: 1 },
  layers: [],
});
const descriptor = (bytes: Uint8Array<ArrayBuffer>) => ({
  mediaType: "application/vnd.oci.image.index.v1+json",
  digest: hashBytes(bytes),
  size: bytes.length,
});
const imageIndex = (...inside: readonly Uint8Array<ArrayBuffer>[]) =>
  encodeContent({ schemaVersion: 2, manifests: inside.map(descriptor) });

Deno.test("each manifest is requested once, however often indexes name it", async () => {
  let inner = leaf;
  const all = [leaf];
  for (const _level of [1, 2, 3, 4]) {
    inner = imageIndex(inner, inner, inner, inner, inner, inner);
    all.unshift(inner);
  }
  const { state, asked } = await copy(all);
  assert.equal(state, "copied");
  assert.deepEqual(asked, all.map(hashBytes));
});

Deno.test("indexes inside of one another without end, and indexes of too many, are refused", async () => {
  let inner = leaf;
  const all = [leaf];
  for (let level = 0; level < 30; level++) {
    all.unshift(inner = imageIndex(inner));
  }
  const deep = await copy(all);
  assert.deepEqual([deep.state, deep.reason], [
    "failed",
    "x/app:v1 has more than 8 indexes inside of one another",
  ]);
  assert.equal(deep.asked.length, 9);

  const leaves = Array.from(
    { length: 1_100 },
    (_, index) =>
      encodeContent({ ...JSON.parse(new TextDecoder().decode(leaf)), index }),
  );
  const wide = await copy([imageIndex(...leaves), ...leaves]);
  assert.deepEqual([wide.state, wide.reason], [
    "failed",
    "x/app:v1 has more than 1000 manifests",
  ]);
});
