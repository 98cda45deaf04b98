import { sending } from "../../transport/call/open_calls.ts";
import type { ContainerdInstance } from "../../transport/gen/common.ts";
import type { ImageServiceImportRequest } from "../../transport/gen/machine_image.ts";

/**
 * Requests that send an image archive to a node. Source: `ImageService.Import`.
 *
 * @param path A .tar file.
 * @param containerd Instance that keeps the image.
 */
export async function* archiveRequests(
  path: string,
  containerd: ContainerdInstance,
): AsyncGenerator<ImageServiceImportRequest> {
  yield { request: { $case: "containerd", value: containerd } };
  const { readable } = await Deno.open(path);
  for await (const bytes of sending(`"${path}"`, readable)) {
    const value = { bytes, metadata: undefined };
    yield { request: { $case: "imageChunk", value } };
  }
}
