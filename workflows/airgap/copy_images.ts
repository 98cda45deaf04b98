/** Copies images between stores by digest; skips existing content. */

import { OsctlError } from "../../errors.ts";
import {
  hashBytes,
  type ImageManifest,
  parseManifest,
} from "../image_cache/fetch_blob.ts";
import type { Descriptor } from "../image_cache/registry.ts";
import { RegistryRefusal } from "../image_cache/registry_session.ts";
import { type ClosureImage, reference } from "./closure.ts";
import type { ImageStore } from "./image_store.ts";

/** Options of a copy. */
export interface CopyOptions {
  readonly source: ImageStore;
  readonly target: ImageStore;
  /** Platforms, `linux/amd64`; `undefined` for all. */
  readonly platforms: readonly string[] | undefined;
  readonly onImage: (image: ClosureImage) => void;
  /** Stops copying; copied content stays. */
  readonly signal: AbortSignal;
}

interface CopiedImage {
  readonly image: ClosureImage;
  /** `copied`, `kept` if everything existed, or `failed`. */
  readonly state: "copied" | "kept" | "failed";
  /** Platforms copied; empty for a single-platform image. */
  readonly platforms: readonly string[];
  readonly bytes: number;
  /** Failure reason; empty otherwise. */
  readonly reason: string;
}

const atOnce = 3;

/** Copies images one by one. A failed image does not stop the others. */
export async function* copyImages(
  images: readonly ClosureImage[],
  options: CopyOptions,
): AsyncGenerator<CopiedImage> {
  const names = new Map<string, ClosureImage>();
  for (const image of images) {
    options.signal.throwIfAborted();
    options.onImage(image);
    try {
      // Images share most of their layers.
      yield await copyImage(image, options, names);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof OsctlError)) throw error;
      const { message } = error;
      yield {
        image,
        state: "failed",
        platforms: [],
        bytes: 0,
        reason: message,
      };
    }
  }
}

interface Copy extends CopyOptions {
  readonly image: ClosureImage;
  readonly platformsCopied: Set<string>;
  /** Bytes so far, and whether an index lacks some of its manifests. */
  readonly count: { bytes: number; isPartial: boolean };
  /** Digests of requested manifests; each is copied once. */
  readonly visited: Set<string>;
  /** Nesting depth of indexes. */
  readonly depth: number;
}

/** Maximum nesting of indexes; builders produce two levels. */
const deepest = 8;
/** Maximum number of manifests of an image; the largest images have a few dozen. */
const mostManifests = 1_000;

async function copyImage(
  given: ClosureImage,
  options: CopyOptions,
  names: Map<string, ClosureImage>,
): Promise<CopiedImage> {
  const { source, target } = options;
  const bytes = await source.manifest(given, given.digest);
  if (bytes === undefined) {
    throw new OsctlError(`${source.text} does not have ${reference(given)}`);
  }
  const image = { ...given, digest: hashBytes(bytes) };
  const manifest = parseManifest(bytes, { text: reference(image) });
  const key = target.toName(image);
  const other = names.get(key) ?? image;
  names.set(key, other);
  if (other.digest !== image.digest && other.name !== image.name) {
    throw new OsctlError(
      `${target.text} would store ${image.name} and ${other.name} in one place, ${key}`,
      {
        hint: "Copy images from different registries to separate destinations",
      },
    );
  }
  const count = { bytes: 0, isPartial: false };
  const copy = {
    ...options,
    image,
    platformsCopied: new Set<string>(),
    count,
    visited: new Set([image.digest]),
    depth: 0,
  };
  const isNew = await copyManifest(bytes, manifest, copy);
  // When two images share a tag, nodes request one of them by digest.
  if (other === image) await target.tag(image, storedAs(bytes, manifest));
  return {
    image,
    state: isNew ? "copied" : "kept",
    platforms: [...copy.platformsCopied],
    bytes: count.bytes,
    reason: "",
  };
}

/** Copies a manifest after its references. Returns whether anything was missing. */
async function copyManifest(
  bytes: Uint8Array<ArrayBuffer>,
  manifest: ImageManifest,
  copy: Copy,
): Promise<boolean> {
  const { image, target, count } = copy;
  const stored = storedAs(bytes, manifest);
  const isThere = await target.manifest(image, stored.digest) !== undefined;
  const isIndex = manifest.manifests !== undefined;
  const isNew = isIndex
    ? await copyIndexed(manifest.manifests, copy)
    : await copyBlobs(manifest, copy);
  if (isThere && !isNew) return false;
  try {
    await target.putManifest(image, stored);
  } catch (error) {
    if (!(error instanceof RegistryRefusal && count.isPartial && isIndex)) {
      throw error;
    }
    throw new OsctlError(
      `${target.text} accepts only complete images, and ${image.name} was copied for ${
        [...copy.platformsCopied].join(", ")
      } only; copy all platforms with: --platform all`,
      { cause: error },
    );
  }
  return true;
}

async function copyIndexed(
  manifests: readonly Descriptor[],
  copy: Copy,
): Promise<boolean> {
  const { image, source, count, visited } = copy;
  if (copy.depth >= deepest) {
    throw new OsctlError(
      `${image.name} has more than ${deepest} indexes inside of one another`,
    );
  }
  const inner = { ...copy, depth: copy.depth + 1 };
  let isNew = false;
  const wanted = chosen(manifests, copy);
  count.isPartial ||= wanted.length < manifests.length;
  for (const descriptor of wanted) {
    const platform = formatPlatform(descriptor);
    if (visited.has(descriptor.digest)) {
      if (platform !== undefined) copy.platformsCopied.add(platform);
      continue;
    }
    visited.add(descriptor.digest);
    if (visited.size > mostManifests) {
      throw new OsctlError(
        `${image.name} has more than ${mostManifests} manifests`,
      );
    }
    // Sequential: platforms share layers.
    const bytes = await source.manifest(image, descriptor.digest);
    if (bytes === undefined) {
      // A directory may contain some platforms only.
      count.isPartial = true;
      continue;
    }
    const manifest = parseManifest(bytes, { text: reference(image) });
    if (await copyManifest(bytes, manifest, inner)) isNew = true;
    if (platform !== undefined) copy.platformsCopied.add(platform);
  }
  return isNew;
}

function chosen(
  manifests: readonly Descriptor[],
  { image, platforms }: Copy,
): readonly Descriptor[] {
  if (platforms === undefined) return manifests;
  return platforms.flatMap((wanted) => {
    const found = manifests.filter((one) => {
      const platform = formatPlatform(one);
      return platform === wanted || platform?.startsWith(`${wanted}/`);
    });
    if (found.length > 0) return found;
    throw new OsctlError(`${image.name} is not available for ${wanted}`);
  });
}

/** Platform of a manifest; `undefined` for attestations and the like. */
function formatPlatform({ platform }: Descriptor): string | undefined {
  if (platform === undefined || platform.os === "unknown") return undefined;
  const { os, architecture, variant } = platform;
  return [os, architecture, ...variant === undefined ? [] : [variant]]
    .join("/");
}

async function copyBlobs(
  manifest: ImageManifest,
  copy: Copy,
): Promise<boolean> {
  const { image } = copy;
  const { config, layers = [] } = manifest;
  if (config === undefined) {
    throw new OsctlError(`The manifest of ${image.name} has no configuration`);
  }
  const queue = [
    ...new Map([config, ...layers].map((one) => [one.digest, one])).values(),
  ];
  let isNew = false;
  const work = async () => {
    for (let blob = queue.shift(); blob; blob = queue.shift()) {
      // Workers share the queue; each copies one blob at a time.
      if (await copyBlob(blob, copy)) isNew = true;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  // Wait for all: the next image may have the same blobs.
  const failed = ends.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return isNew;
}

async function copyBlob(
  blob: Descriptor,
  { image, source, target, count, signal }: Copy,
): Promise<boolean> {
  signal.throwIfAborted();
  if (await target.hasBlob(image, blob)) return false;
  const path = await source.blob(image, blob);
  try {
    await target.putBlob(image, blob, path);
  } finally {
    await source.release(path);
  }
  count.bytes += blob.size;
  return true;
}

function storedAs(bytes: Uint8Array<ArrayBuffer>, manifest: ImageManifest) {
  return {
    digest: hashBytes(bytes),
    mediaType: findMediaType(manifest),
    bytes,
  };
}

/** OCI manifests may omit their media type. */
function findMediaType({ mediaType, manifests }: ImageManifest): string {
  return mediaType ??
    (manifests === undefined
      ? "application/vnd.oci.image.manifest.v1+json"
      : "application/vnd.oci.image.index.v1+json");
}
