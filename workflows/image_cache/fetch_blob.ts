/** Manifests and blobs from registries: fetched again where that may help, resumed, checked against their digests. */

import {
  continueFile,
  createFile,
  removeIfThere,
} from "../../lib/files/atomic_file.ts";
import { createHash } from "node:crypto";
import { writeAll } from "../../lib/files/write_all.ts";
import { OsctlError } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import type { ImageReference } from "./reference.ts";
import type { Descriptor, Registry } from "./registry.ts";
import { RegistryRefusal } from "./registry_session.ts";

interface FetchContext {
  readonly registry: Registry;
  readonly progress: (event: BytesEvent) => void;
  /** Ends fetching; what is there stays. */
  readonly signal: AbortSignal;
}

/** How far a blob is. */
export interface BytesEvent {
  readonly kind: "bytes";
  readonly digest: string;
  /** Bytes that are there. */
  readonly done: number;
  /** All its bytes. */
  readonly size: number;
}

/** How often a request is made before its failure counts. */
const attempts = 5;

/** A manifest, or an index of manifests. */
export interface ImageManifest {
  /** Kind of content, where it says so. */
  readonly mediaType?: string;
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  /** Layers of an image, the lowest first. */
  readonly layers?: readonly Descriptor[];
}

/**
 * Reads a manifest.
 *
 * @throws {OsctlError} If it is none.
 */
export function parseManifest(
  bytes: Uint8Array,
  { text }: Pick<ImageReference, "text">,
): ImageManifest {
  try {
    const manifest: ImageManifest = JSON.parse(new TextDecoder().decode(bytes));
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

/**
 * Fetches a manifest or index.
 *
 * @param reference Tag or digest.
 * @throws {OsctlError} If it is not to be had, or is not what its digest says.
 */
export async function fetchManifest(
  { registry, signal }: Pick<FetchContext, "registry" | "signal">,
  image: ImageReference,
  reference: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await again(signal, () => registry.manifest(image, reference));
  if (reference.startsWith("sha256:") && hashBytes(bytes) !== reference) {
    throw new OsctlError(
      `The manifest of ${image.text} is ${hashBytes(bytes)}, not ${reference}`,
    );
  }
  return bytes;
}

/**
 * Fetches a blob, from where the last attempt or run left off.
 *
 * @param target Path of its file; until it is whole and checked, it is beside it, with `.part` behind its name.
 * @throws {OsctlError} If it is not to be had, or is not what its digest says.
 */
export async function fetchBlob(
  site: FetchContext,
  image: ImageReference,
  blob: Pick<Descriptor, "digest" | "size">,
  target: string,
): Promise<void> {
  await again(site.signal, () => download(site, image, blob, target));
}

async function download(
  { registry, progress }: FetchContext,
  image: ImageReference,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
  target: string,
): Promise<void> {
  const part = `${target}.part`;
  await checkPart(part);
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
  {
    if (!resumed) await removeIfThere(part);
    using file = resumed
      ? await continueFile(part)
      : await createFile(part, 0o644);
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
    `${image.host} sent different content for ${digest} of ${image.text}`,
  );
}

/** What an earlier run has left is of this user, and no link: it becomes the blob. */
async function checkPart(part: string): Promise<void> {
  try {
    (await continueFile(part)).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Tries again what may work later: a registry may, but not what the system refuses. */
export async function again<T>(
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

/** Digest of a content: `sha256:` and 64 digits. */
export function hashBytes(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Digest of a file; that of nothing when there is none. */
export async function fileDigest(path: string): Promise<string> {
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

/** Reports whether a file of this size, in bytes, is at a path. */
export async function isThere(path: string, size: number): Promise<boolean> {
  const info = await Deno.stat(path).catch(() => undefined);
  return info?.size === size;
}
