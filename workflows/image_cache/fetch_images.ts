/** Images from registries, as the tree of files that nodes read their cache from. */

import { createHash } from "node:crypto";
import { writeAll } from "../../config/files/write_all.ts";
import { OsctlError } from "../../errors.ts";
import { pause } from "../../transport/pause.ts";
import type { ImageReference } from "./reference.ts";
import { type Descriptor, type Registry, RegistryRefusal } from "./registry.ts";

/** What is fetched, and where to. */
export interface FetchOptions {
  /** Access to registries. */
  readonly registry: Registry;
  /** Images in order. */
  readonly images: readonly ImageReference[];
  /** Machines, `linux/amd64`. */
  readonly platforms: readonly string[];
  /** Folder of the tree; what is in it already is not fetched again. */
  readonly folder: string;
  /** Folder in which layers are kept for other runs; absent for none. */
  readonly layers?: string;
  /** Told what is being done. */
  readonly progress: (event: FetchEvent) => void;
  /** Ends fetching; what is there stays. */
  readonly signal: AbortSignal;
}

/** A step of fetching. */
export type FetchEvent =
  | {
    readonly kind: "image";
    readonly image: string;
    readonly platform: string;
  }
  | { readonly kind: "kept"; readonly digest: string; readonly size: number }
  | {
    readonly kind: "bytes";
    readonly digest: string;
    readonly done: number;
    readonly size: number;
  }
  | {
    readonly kind: "fetched";
    readonly digest: string;
    readonly size: number;
  };

/** How often a request is made before its failure counts. */
const attempts = 5;

/**
 * Fetches images for all platforms. Every manifest and blob is checked against its digest.
 *
 * @throws {OsctlError} If an image is not to be had, is not for a platform, or is not what its digest says.
 */
export async function fetchImages(options: FetchOptions): Promise<void> {
  const { folder, layers, images, platforms } = options;
  await Deno.mkdir(`${folder}/blob`, { recursive: true });
  if (layers !== undefined) await Deno.mkdir(layers, { recursive: true });
  for (const platform of platforms) {
    for (const image of images) {
      options.progress({ kind: "image", image: image.text, platform });
      // One image after the other: most of their layers are the same.
      await fetchImage(options, image, platform);
    }
  }
}

interface Manifest {
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
}

async function fetchImage(
  options: FetchOptions,
  image: ImageReference,
  platform: string,
): Promise<void> {
  const wanted = image.digest ?? image.tag ?? "latest";
  const top = await manifestOf(options, image, wanted);
  const digest = digestOf(top);
  const folder =
    `${options.folder}/manifests/${image.registry}/${image.repository}`;
  if (image.tag !== undefined) {
    await save(`${folder}/reference/${image.tag}`, top);
  }
  await save(`${folder}/digest/${fileName(digest)}`, top);
  let manifest = parsed(top, image);
  if (manifest.manifests !== undefined) {
    const found = manifest.manifests.find((one) => isFor(one, platform));
    if (found === undefined) {
      throw new OsctlError(`${image.text} is not available for ${platform}`);
    }
    const own = await manifestOf(options, image, found.digest);
    await save(`${folder}/digest/${fileName(found.digest)}`, own);
    manifest = parsed(own, image);
  }
  const { config, layers = [] } = manifest;
  if (config === undefined) {
    throw new OsctlError(
      `The manifest of ${image.text} has no configuration`,
    );
  }
  for (const blob of [config, ...layers]) {
    await fetchBlob(options, image, blob, blob !== config);
  }
}

function isFor({ platform }: Descriptor, wanted: string): boolean {
  const [os, architecture, variant] = wanted.split("/");
  return platform?.os === os && platform?.architecture === architecture &&
    (variant === undefined || platform?.variant === variant);
}

function parsed(bytes: Uint8Array, { text }: ImageReference): Manifest {
  try {
    const manifest: Manifest = JSON.parse(new TextDecoder().decode(bytes));
    const all = [manifest.config, manifest.layers, manifest.manifests].flat();
    const isRight = all.every((one) =>
      one === undefined ||
      /^sha256:[0-9a-f]{64}$/.test(one.digest) && one.size >= 0
    );
    if (isRight) return manifest;
  } catch {
    // Said below.
  }
  throw new OsctlError(`The manifest of ${text} cannot be read`);
}

async function manifestOf(
  { registry, signal }: FetchOptions,
  image: ImageReference,
  reference: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await again(signal, () => registry.manifest(image, reference));
  if (reference.startsWith("sha256:") && digestOf(bytes) !== reference) {
    throw new OsctlError(
      `The manifest of ${image.text} is ${digestOf(bytes)}, not ${reference}`,
    );
  }
  return bytes;
}

async function fetchBlob(
  options: FetchOptions,
  image: ImageReference,
  { digest, size }: Descriptor,
  isLayer: boolean,
): Promise<void> {
  const { folder, layers, progress, signal } = options;
  const target = `${folder}/blob/${fileName(digest)}`;
  const kept = isLayer && layers !== undefined
    ? `${layers}/${digest}`
    : undefined;
  if (await isThere(target, size)) {
    return progress({ kind: "kept", digest, size });
  }
  if (kept !== undefined && await isThere(kept, size)) {
    if (await fileDigest(kept) === digest) {
      await Deno.copyFile(kept, `${target}.part`);
      await Deno.rename(`${target}.part`, target);
      return progress({ kind: "kept", digest, size });
    }
    await Deno.remove(kept);
  }
  await again(signal, () => download(options, image, { digest, size }));
  if (kept !== undefined) {
    await Deno.copyFile(target, `${kept}.part`);
    await Deno.rename(`${kept}.part`, kept);
  }
  progress({ kind: "fetched", digest, size });
}

/** Fetches a blob, from where the last attempt or run left off. */
async function download(
  { registry, folder, progress }: FetchOptions,
  image: ImageReference,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
): Promise<void> {
  const target = `${folder}/blob/${fileName(digest)}`;
  const part = `${target}.part`;
  let hash = createHash("sha256");
  let done = await hashFile(part, hash);
  if (done >= size) {
    // Whole and never checked, or larger than it may be.
    if (done === size && `sha256:${hash.digest("hex")}` === digest) {
      return await Deno.rename(part, target);
    }
    await Deno.remove(part);
    hash = createHash("sha256");
    done = 0;
  }
  const { resumed, body } = await registry.blob(image, digest, done);
  const fresh = resumed ? hash : createHash("sha256");
  if (!resumed) done = 0;
  const open = {
    write: true,
    create: true,
    append: resumed,
    truncate: !resumed,
  };
  {
    using file = await Deno.open(part, open);
    for await (const chunk of body) {
      done += chunk.length;
      if (done > size) break;
      fresh.update(chunk);
      await writeAll(file, chunk);
      progress({ kind: "bytes", digest, done, size });
    }
  }
  if (done < size) {
    throw new OsctlError(`${digest} was truncated after ${done} bytes`);
  }
  const found = `sha256:${fresh.digest("hex")}`;
  if (done === size && found === digest) return await Deno.rename(part, target);
  await Deno.remove(part);
  throw new RegistryRefusal(
    `${image.host} sent other content for ${digest} of ${image.text}`,
  );
}

/** Tries again what may work later: a registry may, but not what the system refuses. */
async function again<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const mayWork = error instanceof OsctlError &&
        !(error instanceof RegistryRefusal);
      if (!mayWork || attempt === attempts) throw error;
      await pause(250 * 2 ** attempt, signal);
    }
  }
}

/** Name of the file of a digest; some file systems know no colon. */
function fileName(digest: string): string {
  return digest.replace(":", "-");
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  await hashFile(path, hash);
  return `sha256:${hash.digest("hex")}`;
}

/** Adds a file to a hash; gives its size, 0 when there is none. */
async function hashFile(
  path: string,
  hash: ReturnType<typeof createHash>,
): Promise<number> {
  try {
    const file = await Deno.open(path);
    let size = 0;
    for await (const chunk of file.readable) {
      hash.update(chunk);
      size += chunk.length;
    }
    return size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

async function isThere(path: string, size: number): Promise<boolean> {
  const info = await Deno.stat(path).catch(() => undefined);
  return info?.size === size;
}

async function save(path: string, bytes: Uint8Array): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(`${path}.part`, bytes);
  await Deno.rename(`${path}.part`, path);
}
