import { OsctlError, rootCause } from "../../errors.ts";
import { hashBytes } from "../image_cache/fetch_blob.ts";
import type { ImageReference } from "../image_cache/reference.ts";
import type { Registry } from "../image_cache/registry.ts";
import { RegistryRefusal } from "../image_cache/registry_session.ts";
import { type ClosureImage, collectClosure } from "./closure.ts";

interface DigestSource {
  readonly registry: Registry;
  readonly toReference: (image: ClosureImage) => ImageReference;
  readonly signal: AbortSignal;
  /** Called for an image whose digest cannot be read. */
  readonly onFailure: (image: ClosureImage, error: OsctlError) => void;
}

const atOnce = 8;

/** Looks up unknown digests; an image whose registry does not answer stays without one. */
export async function withDigests(
  images: readonly ClosureImage[],
  source: DigestSource,
): Promise<readonly ClosureImage[]> {
  const found = new Map<ClosureImage, string>();
  const silent = new Set<string>();
  const queue = images.filter(({ digest }) => digest === undefined);
  const work = async () => {
    for (let image = queue.shift(); image; image = queue.shift()) {
      // Workers share the queue; each requests one image at a time.
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
      digest,
    }));
  }));
}

async function digestIn(
  image: ClosureImage,
  source: DigestSource,
  silent: Set<string>,
): Promise<string | undefined> {
  const asked = source.toReference(image);
  if (silent.has(asked.host)) return undefined;
  try {
    const tag = asked.tag ?? "latest";
    return hashBytes(await source.registry.manifest(asked, tag));
  } catch (error) {
    source.signal.throwIfAborted();
    if (!(error instanceof OsctlError)) throw error;
    // An unreachable registry is tried once.
    const isKnown = silent.has(asked.host);
    if (!(error instanceof RegistryRefusal)) silent.add(asked.host);
    if (!isKnown) source.onFailure(image, rootCause(error));
    return undefined;
  }
}
