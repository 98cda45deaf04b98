/** Extensions and overlays of a release: lists that are files in images of the registry. */

import { parse } from "yaml";
import { OsctlError } from "../../errors.ts";
import { collectBytes } from "../../lib/bytes.ts";
import { archiveEntries } from "../../lib/archive/entries.ts";
import {
  again,
  fetchManifest,
  hashBytes,
  parseManifest,
} from "./fetch_blob.ts";
import { type ImageReference, parseReference } from "./reference.ts";
import type { Descriptor, Registry } from "./registry.ts";

/** Registry access. */
interface ListContext {
  readonly registry: Registry;
  readonly signal: AbortSignal;
}

/** Maximum size of a list in bytes, packed and unpacked. */
const largestList = 16 * 1024 * 1024;

/**
 * Lists the extensions of a release.
 *
 * @param image `ghcr.io/siderolabs/extensions:v1.12.1`.
 * @returns References with tag and digest.
 * @throws {OsctlError} If the image cannot be fetched, or has no such list.
 */
export async function listExtensions(
  image: string,
  context: ListContext,
): Promise<readonly string[]> {
  const text = await readListFile(image, "image-digests", context);
  return text.split("\n").map((line) => line.trim())
    .filter((line) => line.includes("@"));
}

/** Lists the overlays of a release, in the same way. */
export async function listOverlays(
  image: string,
  context: ListContext,
): Promise<readonly string[]> {
  const text = await readListFile(image, "overlays.yaml", context);
  const { overlays } = parse(text) ?? {};
  if (!Array.isArray(overlays)) throw unreadable(image, "overlays.yaml");
  return overlays.map((overlay) => `${overlay?.image}@${overlay?.digest}`);
}

async function readListFile(
  text: string,
  name: string,
  context: ListContext,
): Promise<string> {
  const image = parseReference(text);
  const read = async (reference: string) =>
    parseManifest(await fetchManifest(context, image, reference), image);
  const top = await read(image.tag ?? "latest");
  // The images of all platforms have the same files.
  const own = top.manifests?.[0];
  const { layers = [] } = own === undefined ? top : await read(own.digest);
  for (const layer of layers) {
    const bytes = await fetchLayer(image, layer, context);
    for await (
      const { name: path, body } of archiveEntries(new Blob([bytes]).stream())
    ) {
      if (path.replace(/^\.?\//, "") === name) {
        return new TextDecoder().decode(await collect(body));
      }
    }
  }
  throw unreadable(text, name);
}

async function fetchLayer(
  image: ImageReference,
  { digest, size }: Descriptor,
  { registry, signal }: ListContext,
): Promise<Uint8Array<ArrayBuffer>> {
  if (size > largestList) {
    throw new OsctlError(`Layer ${digest} of ${image.text} is over 16 MiB`);
  }
  return await again(signal, async () => {
    const { body } = await registry.blob(image, digest, 0);
    const bytes = await collect(body);
    if (hashBytes(bytes) === digest) return bytes;
    throw new OsctlError(
      `${image.host} sent different content for ${digest} of ${image.text}`,
    );
  });
}

async function collect(
  chunks: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await collectBytes(chunks, largestList);
  if (bytes !== undefined) return bytes;
  throw new OsctlError("The list of an image is over 16 MiB");
}

function unreadable(image: string, name: string): OsctlError {
  return new OsctlError(`${image} has no list of images in ${name}`);
}
