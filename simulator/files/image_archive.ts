/** Container images in an archive, as `docker save` and `skopeo copy` write them. */

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
// @ts-types="@types/tar-stream"
import { type Entry, extract } from "tar-stream";
import { RpcError } from "../../errors.ts";
import type { ArchivedImage } from "../node/images.ts";

/** Size limit of the image list, in bytes. */
const mostBytes = 1024 ** 2;

/**
 * Reads the first image of an archive in OCI layout or Docker format.
 *
 * @param chunks Uncompressed bytes of the archive.
 * @throws {RpcError} INTERNAL if it is not an image archive; INVALID_ARGUMENT if it contains no image with a name.
 */
export async function readImageArchive(
  chunks: AsyncIterable<Uint8Array>,
): Promise<ArchivedImage> {
  const { lists, size } = await readLists(chunks);
  const [layout, saved] = ["index.json", "manifest.json"]
    .map((name) => lists.get(name));
  if (layout === undefined && saved === undefined) {
    throw importError("unrecognized image format");
  }
  const found = layout === undefined
    ? savedImage(saved ?? "")
    : layoutImage(layout);
  if (found === undefined) {
    throw new RpcError(
      "INVALID_ARGUMENT",
      "no images imported from archive",
    );
  }
  return { ...found, size };
}

/** Makes the error of an archive that cannot be imported. */
export function importError(reason: string): RpcError {
  return new RpcError("INTERNAL", `failed to import image: ${reason}`);
}

async function readLists(chunks: AsyncIterable<Uint8Array>): Promise<{
  readonly lists: ReadonlyMap<string, string>;
  readonly size: number;
}> {
  const tar = extract();
  const fed = pipeline(Readable.from(chunks), tar);
  // Awaited below; until then a failure also rejects the entries.
  fed.catch(() => {});
  const lists = new Map<string, string>();
  let size = 0;
  try {
    for await (const entry of tar as AsyncIterable<Entry>) {
      const { name, size: bytes = 0 } = entry.header;
      size += bytes;
      const path = name.replace(/^\.\//, "");
      if (/^(?:index|manifest)\.json$/.test(path) && bytes <= mostBytes) {
        lists.set(path, await new Response(Readable.toWeb(entry)).text());
      } else {
        entry.resume();
      }
    }
    await fed;
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw importError(error instanceof Error ? error.message : `${error}`);
  }
  return { lists, size };
}

type FoundLayer = Omit<ArchivedImage, "size"> | undefined;

/** The first image of an OCI layout: `index.json` of the OCI image specification. */
function layoutImage(text: string): FoundLayer {
  const { manifests = [] }: {
    readonly manifests?: readonly {
      readonly digest?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    }[];
  } = parseJson(text);
  for (const { digest = "", annotations = {} } of manifests) {
    const name = annotations["io.containerd.image.name"] ??
      annotations["org.opencontainers.image.ref.name"];
    if (name !== undefined) return { name, digest };
  }
  return undefined;
}

function savedImage(text: string): FoundLayer {
  const images: readonly { readonly RepoTags?: readonly string[] | null }[] =
    parseJson(text);
  const name = images[0]?.RepoTags?.[0];
  const hash = createHash("sha256").update(text).digest("hex");
  return name === undefined ? undefined : { name, digest: `sha256:${hash}` };
}

function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw importError(error instanceof Error ? error.message : `${error}`);
  }
}
