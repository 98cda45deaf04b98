/** Fetches images into the file tree that nodes read their cache from. */

import { writeAll } from "../../lib/files/write_all.ts";
import { copyWhole, writeWhole } from "../../lib/files/atomic_file.ts";
import { OsctlError } from "../../errors.ts";
import {
  again,
  type BytesEvent,
  fetchBlob,
  fetchManifest,
  fileDigest,
  hashBytes,
  type ImageManifest,
  isThere,
  parseManifest,
} from "./fetch_blob.ts";
import type { ImageReference } from "./reference.ts";
import type { Descriptor, Registry } from "./registry.ts";

/** Options of {@linkcode fetchImages}. */
export interface ImageFetchOptions {
  readonly registry: Registry;
  readonly images: readonly ImageReference[];
  /** Platforms, `linux/amd64`. */
  readonly platforms: readonly string[];
  /** Root of the tree; existing content is not fetched again. */
  readonly folder: string;
  /** True to fetch the signatures of the images, too, where there are some. */
  readonly signatures?: boolean;
  /** Folder with layers shared between runs; absent for none. */
  readonly layers?: string;
  readonly progress: (event: FetchEvent) => void;
  /** Stops fetching; fetched content stays. */
  readonly signal: AbortSignal;
}

/** Progress event. */
export type FetchEvent =
  | {
    readonly kind: "image";
    readonly image: string;
    readonly platform: string;
  }
  | { readonly kind: "kept"; readonly digest: string; readonly size: number }
  | BytesEvent
  | {
    readonly kind: "fetched";
    readonly digest: string;
    readonly size: number;
  };

/**
 * Fetches images for all platforms. Verifies every manifest and blob by digest.
 *
 * @throws {OsctlError} If an image cannot be fetched, does not support a platform, or does not match its digest.
 */
export async function fetchImages(options: ImageFetchOptions): Promise<void> {
  const { folder, layers, images, platforms } = options;
  await Deno.mkdir(`${folder}/blob`, { recursive: true });
  if (layers !== undefined) await Deno.mkdir(layers, { recursive: true });
  for (const platform of platforms) {
    for (const image of images) {
      options.progress({ kind: "image", image: image.text, platform });
      // Sequential: images share most of their layers.
      await fetchImage(options, image, platform);
    }
  }
}

async function fetchImage(
  options: ImageFetchOptions,
  image: ImageReference,
  platform: string,
): Promise<void> {
  const wanted = image.digest ?? image.tag ?? "latest";
  const top = await fetchManifest(options, image, wanted);
  const digest = hashBytes(top);
  const folder =
    `${options.folder}/manifests/${image.registry}/${image.repository}`;
  if (image.tag !== undefined) {
    await save(`${folder}/reference/${image.tag}`, top);
  }
  await save(`${folder}/digest/${fileName(digest)}`, top);
  let manifest = parseManifest(top, image);
  if (manifest.manifests !== undefined) {
    const found = manifest.manifests.find((one) => isFor(one, platform));
    if (found === undefined) {
      throw new OsctlError(`${image.text} is not available for ${platform}`);
    }
    const own = await fetchManifest(options, image, found.digest);
    await save(`${folder}/digest/${fileName(found.digest)}`, own);
    manifest = parseManifest(own, image);
  }
  if (options.signatures) await fetchSignature(options, image, digest, folder);
  if (manifest.config === undefined) {
    throw new OsctlError(
      `The manifest of ${image.text} has no configuration`,
    );
  }
  await keepBlobs(options, image, manifest);
}

async function keepBlobs(
  options: ImageFetchOptions,
  image: ImageReference,
  { config, layers = [] }: ImageManifest,
): Promise<void> {
  if (config !== undefined) await keepBlob(options, image, config, false);
  for (const layer of layers) await keepBlob(options, image, layer, true);
}

/**
 * Fetches the signature that cosign stores in a tag named after the digest of an image: a manifest up to cosign 2,
 * an index since cosign 3. Most images have none.
 *
 * @param folder Folder of the manifests of the image.
 */
async function fetchSignature(
  options: ImageFetchOptions,
  image: ImageReference,
  digest: string,
  folder: string,
): Promise<void> {
  const { registry, signal } = options;
  const base = fileName(digest);
  for (const tag of [`${base}.sig`, base]) {
    if (!await again(signal, () => registry.hasManifest(image, tag))) continue;
    const top = await fetchManifest(options, image, tag);
    await save(`${folder}/reference/${tag}`, top);
    await save(`${folder}/digest/${fileName(hashBytes(top))}`, top);
    const { manifests = [], ...own } = parseManifest(top, image);
    await keepBlobs(options, image, own);
    for (const { digest } of manifests) {
      const child = await fetchManifest(options, image, digest);
      await save(`${folder}/digest/${fileName(digest)}`, child);
      await keepBlobs(options, image, parseManifest(child, image));
    }
    return;
  }
}

function isFor({ platform }: Descriptor, wanted: string): boolean {
  const [os, architecture, variant] = wanted.split("/");
  return platform?.os === os && platform?.architecture === architecture &&
    (variant === undefined || platform?.variant === variant);
}

async function keepBlob(
  options: ImageFetchOptions,
  image: ImageReference,
  { digest, size }: Descriptor,
  isLayer: boolean,
): Promise<void> {
  const { folder, layers, progress } = options;
  const target = `${folder}/blob/${fileName(digest)}`;
  const kept = isLayer && layers !== undefined
    ? `${layers}/${digest}`
    : undefined;
  if (await isThere(target, size)) {
    return progress({ kind: "kept", digest, size });
  }
  if (kept !== undefined && await isThere(kept, size)) {
    if (await fileDigest(kept) === digest) {
      await copyWhole(kept, target, 0o644);
      return progress({ kind: "kept", digest, size });
    }
    await Deno.remove(kept);
  }
  await fetchBlob(options, image, { digest, size }, target);
  if (kept !== undefined) {
    await copyWhole(target, kept, 0o644);
  }
  progress({ kind: "fetched", digest, size });
}

/** File name of a digest; some file systems do not allow colons. */
export function fileName(digest: string): string {
  return digest.replace(":", "-");
}

async function save(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await writeWhole(path, (file) => writeAll(file, bytes), 0o644);
}
