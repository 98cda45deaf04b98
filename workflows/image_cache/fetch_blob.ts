/** Fetches manifests and blobs from registries: retries, resumes, verifies digests. */

import {
  continueFile,
  createFile,
  removeIfThere,
} from "../../lib/files/atomic_file.ts";
import { withFileLock } from "../../lib/files/file_lock.ts";
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
  /** Stops fetching; fetched content stays. */
  readonly signal: AbortSignal;
}

/** Download progress of a blob. */
export interface BytesEvent {
  readonly kind: "bytes";
  readonly digest: string;
  readonly done: number;
  /** Total bytes. */
  readonly size: number;
}

/** Maximum attempts of a request. */
const attempts = 5;

/** A manifest, or an index of manifests. */
export interface ImageManifest {
  /** Media type, if present. */
  readonly mediaType?: string;
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  /** Layers of an image, lowest first. */
  readonly layers?: readonly Descriptor[];
}

/**
 * Parses a manifest.
 *
 * @throws {OsctlError} If it is not a manifest.
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
 * @throws {OsctlError} If it cannot be fetched, or does not match its digest.
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
 * Fetches a blob; resumes the last attempt or run. Waits for another process that fetches it.
 *
 * @param target Path of its file; until verified, the blob is next to it with the suffix `.part`.
 * @throws {OsctlError} If it cannot be fetched, or does not match its digest.
 */
export async function fetchBlob(
  context: FetchContext,
  image: ImageReference,
  blob: Pick<Descriptor, "digest" | "size">,
  target: string,
): Promise<void> {
  const { signal } = context;
  const alone = { signal, waitMs: Infinity };
  await withFileLock(target, async () => {
    if (await isThere(target, blob.size)) return;
    await again(signal, () => download(context, image, blob, target));
  }, alone);
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
    // Complete but never verified, or too large.
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

/** A partial file of an earlier run must belong to this user and be no link, as it becomes the blob. */
async function checkPart(part: string): Promise<void> {
  try {
    (await continueFile(part)).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Retries failures of registries, but not those of the local system. */
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

/** Digest of bytes: `sha256:` and 64 digits. */
export function hashBytes(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Digest of a file; that of empty content if it does not exist. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  await hashFile(path, hash);
  return `sha256:${hash.digest("hex")}`;
}

/** Adds a file to a hash; returns its size, 0 if it does not exist. */
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

/** Reports whether a file of this size, in bytes, exists. */
export async function isThere(path: string, size: number): Promise<boolean> {
  const info = await Deno.stat(path).catch(() => undefined);
  return info?.size === size;
}
