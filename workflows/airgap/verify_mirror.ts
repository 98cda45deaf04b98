/** Verifies by digest that a mirror contains complete images. */

import { OsctlError } from "../../errors.ts";
import {
  hashBytes,
  type ImageManifest,
  parseManifest,
} from "../image_cache/fetch_blob.ts";
import { type ClosureImage, reference } from "./closure.ts";
import type { ImageStore } from "./image_store.ts";

interface ImageCheck {
  /** The image, with its digest if known. */
  readonly image: ClosureImage;
  /** `ok`, `missing`, `different`: its tag points to another image, or `failed`: the check failed. */
  readonly state: "ok" | "missing" | "different" | "failed";
  /** The problem; empty if there is none. */
  readonly reason: string;
}

const atOnce = 4;

/** Checks images in a mirror; results in the order of the images. */
export async function verifyMirror(
  images: readonly ClosureImage[],
  store: ImageStore,
  signal: AbortSignal,
): Promise<readonly ImageCheck[]> {
  const checks = new Map<ClosureImage, ImageCheck>();
  const queue = [...images];
  const work = async () => {
    for (let image = queue.shift(); image; image = queue.shift()) {
      signal.throwIfAborted();
      // Workers share the queue; each checks one image at a time.
      checks.set(image, await checkImage(image, store, signal));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return images.flatMap((image) => checks.get(image) ?? []);
}

async function checkImage(
  image: ClosureImage,
  store: ImageStore,
  signal: AbortSignal,
): Promise<ImageCheck> {
  try {
    return await findImage(image, store);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OsctlError)) throw error;
    return { image, state: "failed", reason: error.message };
  }
}

async function findImage(
  image: ClosureImage,
  store: ImageStore,
): Promise<ImageCheck> {
  const tagged = await store.manifest({ ...image, digest: undefined });
  const bytes = image.digest === undefined
    ? tagged
    : await store.manifest(image, image.digest);
  if (bytes === undefined) {
    const reason = image.digest !== undefined && tagged !== undefined
      ? `its tag points to ${hashBytes(tagged)}`
      : "";
    return { image, state: reason === "" ? "missing" : "different", reason };
  }
  const known = { ...image, digest: hashBytes(bytes) };
  const lacks = await missingPart(bytes, known, store);
  if (lacks !== undefined) {
    return { image: known, state: "missing", reason: `it lacks ${lacks}` };
  }
  if (tagged !== undefined && hashBytes(tagged) !== known.digest) {
    const reason = `its tag points to ${hashBytes(tagged)}`;
    return { image: known, state: "different", reason };
  }
  return { image: known, state: "ok", reason: "" };
}

/** First missing part of an image; a copy for some platforms may omit the others. */
async function missingPart(
  bytes: Uint8Array,
  image: ClosureImage,
  store: ImageStore,
): Promise<string | undefined> {
  const manifest = parseManifest(bytes, { text: reference(image) });
  if (manifest.manifests === undefined) {
    return await missingBlob(manifest, image, store);
  }
  let isThere = false;
  for (const { digest } of manifest.manifests) {
    // Sequential: the first missing part is enough.
    const own = await store.manifest(image, digest);
    if (own === undefined) continue;
    isThere = true;
    const lacks = await missingPart(own, image, store);
    if (lacks !== undefined) return lacks;
  }
  return isThere ? undefined : "the manifests of all platforms";
}

async function missingBlob(
  { config, layers = [] }: ImageManifest,
  image: ClosureImage,
  store: ImageStore,
): Promise<string | undefined> {
  for (const blob of [...config === undefined ? [] : [config], ...layers]) {
    if (!await store.hasBlob(image, blob)) return `the blob ${blob.digest}`;
  }
  return undefined;
}
