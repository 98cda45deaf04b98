/** Imports images into a container engine. */

import { Readable } from "node:stream";
import type { ContainerEngine } from "../provisioners/docker/engine.ts";

interface ImageImport {
  readonly image: string;
  /** Files of the image: a tar archive. */
  readonly archive: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Dockerfile instructions. */
  readonly changes: readonly string[];
}

/** Imports an image. */
export async function importImage(
  { api }: ContainerEngine,
  { image, archive, changes }: ImageImport,
): Promise<void> {
  const [repo = "", tag = "latest"] = image.split(/:(?=[^/]*$)/);
  // Options missing in the library's types.
  const options = { repo, tag, changes: [...changes] } as { repo: string };
  const stream = await api.importImage(Readable.from(archive), options);
  let text = "";
  for await (const bytes of stream) text += String(bytes);
  const last = JSON.parse(text.trim().split("\n").at(-1) ?? "{}");
  if (typeof last.status !== "string") throw new Error(text);
  // Podman tags every import "latest".
  await api.getImage(last.status.trim()).tag({ repo, tag });
}
