/** Sources and targets of image copies: registries, and an OCI layout in a directory. */

import { OsctlError } from "../../errors.ts";
import {
  again,
  type BytesEvent,
  fetchBlob,
  fetchManifest,
  hashBytes,
} from "../image_cache/fetch_blob.ts";
import type { Descriptor, Registry } from "../image_cache/registry.ts";
import type { ClosureImage } from "./closure.ts";
import {
  type ImagePlace,
  mirrorReference,
  ownReference,
} from "./image_location.ts";

interface StoredManifest {
  /** Digest: `sha256:` and 64 digits. */
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A store of images. */
export interface ImageStore {
  readonly text: string;
  /** Name of an image in the store: two images with the same name differ only in their digests. */
  readonly toName: (image: ClosureImage) => string;
  /** Reads and verifies a manifest or index; `undefined` if missing. `wanted`: digest; default that of its tag. */
  readonly manifest: (
    image: ClosureImage,
    wanted?: string,
  ) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Reports whether a blob exists; a directory also verifies its digest. */
  readonly hasBlob: (
    image: ClosureImage,
    blob: Descriptor,
  ) => Promise<boolean>;
  /** Gets and verifies a blob. Returns the path of its file. */
  readonly blob: (image: ClosureImage, blob: Descriptor) => Promise<string>;
  /** Releases a blob. `path`: its file. */
  readonly release: (path: string) => Promise<void>;
  /** Writes a blob. `path`: its file. */
  readonly putBlob: (
    image: ClosureImage,
    blob: Descriptor,
    path: string,
  ) => Promise<void>;
  /** Writes a manifest or index whose references exist. */
  readonly putManifest: (
    image: ClosureImage,
    manifest: StoredManifest,
  ) => Promise<void>;
  /** Tags an existing manifest or index with the tag of the image. */
  readonly tag: (
    image: ClosureImage,
    manifest: StoredManifest,
  ) => Promise<void>;
}

/** Options of {@linkcode placeStore}. */
export interface RegistryStoreOptions {
  readonly registry: Registry;
  /** Folder for blobs in transit. */
  readonly folder: string;
  /** True when that folder is their target: they stay there. */
  readonly keepsBlobs?: boolean;
  readonly progress: (event: BytesEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Creates a store backed by registries.
 *
 * @param place A mirror of all images; absent for the registries of the images.
 */
export function placeStore(
  place: ImagePlace | undefined,
  options: RegistryStoreOptions,
): ImageStore {
  const { registry, folder, signal, progress } = options;
  const formatReference = (image: ClosureImage) =>
    place?.kind === "registry"
      ? mirrorReference(image, place)
      : ownReference(image);
  const trying = <T>(work: () => Promise<T>) => again(signal, work);
  return {
    text: place?.text ?? "its registry",
    toName(image) {
      const { host, repository, tag, digest } = formatReference(image);
      return `${host}/${repository}${
        tag === undefined ? `@${digest}` : `:${tag}`
      }`;
    },
    async manifest(image, wanted) {
      const place = formatReference(image);
      const name = wanted ?? place.tag ?? place.digest ?? "latest";
      const isThere = await trying(() => registry.hasManifest(place, name));
      return isThere
        ? await fetchManifest({ registry, signal }, place, name)
        : undefined;
    },
    hasBlob: (image, { digest }) =>
      trying(() => registry.hasBlob(formatReference(image), digest)),
    async blob(image, blob) {
      const path = `${folder}/${fileName(blob.digest)}`;
      const context = { registry, signal, progress };
      await fetchBlob(context, formatReference(image), blob, path);
      return path;
    },
    release: async (path) => {
      if (!options.keepsBlobs) await Deno.remove(path);
    },
    putBlob: (image, { digest, size }, path) =>
      trying(async () => {
        // A request that fails before the content is read leaves the file open.
        using file = await Deno.open(path);
        const told = withProgress(file.readable, (done) =>
          progress({ kind: "bytes", digest, done, size }));
        await registry.putBlob(formatReference(image), digest, told);
      }),
    async putManifest(image, manifest) {
      const place = formatReference(image);
      await trying(() =>
        registry.putManifest(place, manifest.digest, manifest)
      );
    },
    async tag(image, manifest) {
      const place = formatReference(image);
      const { tag } = place;
      if (tag === undefined) return;
      await trying(() => registry.putManifest(place, tag, manifest));
      const found = hashBytes(
        await fetchManifest({ registry, signal }, place, tag),
      );
      if (found === manifest.digest) return;
      throw new OsctlError(
        `${place.text} has digest ${found}, and was written with ${manifest.digest}`,
        { hint: "Check whether another program writes the same tag" },
      );
    },
  };
}

function fileName(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1);
}

async function* withProgress(
  content: AsyncIterable<Uint8Array>,
  tell: (done: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const chunk of content) {
    yield chunk;
    done += chunk.length;
    tell(done);
  }
}
