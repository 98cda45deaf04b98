import type { Readable } from "node:stream";
import { OsctlError } from "../../errors.ts";
import { asking, type ContainerEngine } from "./engine.ts";

interface ImageImport {
  readonly image: string;
  /** Files of the image: a tar archive. */
  readonly archive: Readable;
  /** Dockerfile instructions to apply. */
  readonly changes: readonly string[];
}

/** Imports an image. Returns its digest. */
export async function importImage(
  { api }: ContainerEngine,
  { image, archive, changes }: ImageImport,
): Promise<string> {
  const [repo = "", tag = "latest"] = image.split(/:(?=[^/]*$)/);
  return await asking(`import image ${image}`, async () => {
    // Options missing in the library's types.
    const options = { repo, tag, changes: [...changes] } as { repo: string };
    const stream = await api.importImage(archive, options);
    let text = "";
    for await (const bytes of stream) text += String(bytes);
    const last = JSON.parse(text.trim().split("\n").at(-1) ?? "{}");
    if (typeof last.status === "string") {
      const id = last.status.trim();
      // Podman tags every import "latest".
      await api.getImage(id).tag({ repo, tag });
      return id;
    }
    throw new OsctlError(
      `Cannot import image ${image}: ${
        last.error ?? "the engine did not say why"
      }`,
    );
  });
}
