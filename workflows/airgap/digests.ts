import { OsctlError, rootCause } from "../../errors.ts";
import { hashBytes } from "../image_cache/fetch_blob.ts";
import type { ImageReference } from "../image_cache/reference.ts";
import type { Registry } from "../image_cache/registry.ts";
import { RegistryRefusal } from "../image_cache/registry_session.ts";
import { type ClosureImage, collectClosure } from "./closure.ts";

interface DigestSource {
  readonly registry: Registry;
  /** Where an image is asked for. */
  readonly referenceOf: (image: ClosureImage) => ImageReference;
  readonly signal: AbortSignal;
  /** Told of an image whose digest is not to be had. */
  readonly onFailure: (image: ClosureImage, error: OsctlError) => void;
}

const atOnce = 8;

/** Looks up the digests that are not known yet; an image whose registry does not answer stays without. */
export async function withDigests(
  images: readonly ClosureImage[],
  source: DigestSource,
): Promise<readonly ClosureImage[]> {
  const found = new Map<ClosureImage, string>();
  const silent = new Set<string>();
  const queue = images.filter(({ digest }) => digest === undefined);
  const work = async () => {
    for (let image = queue.shift(); image; image = queue.shift()) {
      // The queue is shared: each worker asks for one image after the other.
      const digest = await digestIn(image, source, silent);
      if (digest !== undefined) found.set(image, digest);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return collectClosure(images.flatMap((image) => {
    const digest = image.digest ?? found.get(image);
    return image.sources.map((source) => ({
      image: image.name,
      source,
      ...digest !== undefined && { digest },
    }));
  }));
}

async function digestIn(
  image: ClosureImage,
  source: DigestSource,
  silent: Set<string>,
): Promise<string | undefined> {
  const asked = source.referenceOf(image);
  if (silent.has(asked.host)) return undefined;
  try {
    const tag = asked.tag ?? "latest";
    return hashBytes(await source.registry.manifest(asked, tag));
  } catch (error) {
    source.signal.throwIfAborted();
    if (!(error instanceof OsctlError)) throw error;
    // A registry that cannot be reached is asked only once.
    const isKnown = silent.has(asked.host);
    if (!(error instanceof RegistryRefusal)) silent.add(asked.host);
    if (!isKnown) source.onFailure(image, rootCause(error));
    return undefined;
  }
}
