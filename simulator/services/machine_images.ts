/** Container images over the wire, up to v1.12: `ImageList` and `ImagePull`. */

import { RpcError } from "../../errors.ts";
import type { ImageListResponse } from "../../transport/gen/machine.ts";
import { storeOfNamespace } from "../node/image_request.ts";
import { imagesIn, pull, type Pulled } from "../node/images.ts";
import type { SimulatedNode } from "../node/node.ts";
import type { ImageStore } from "../node/node_disk.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import { timestampOf } from "../wire/timestamp.ts";

/** `ImageList` and `ImagePull`. */
export const machineImages: MachineHandlers = {
  async *imageList({ namespace }, { node }) {
    yield* listed(node, storeOfNamespace(namespace));
  },
  async imagePull({ namespace, reference }, { node }) {
    await pulled(node, {
      place: storeOfNamespace(namespace),
      reference,
      method: "ImagePull",
    });
    return { messages: [{}] };
  },
};

/** One name of an image, as both services list it. */
export type ListedImage = Omit<ImageListResponse, "metadata">;

/** Images in a place under all their names. */
export async function* listed(
  node: SimulatedNode,
  place: ImageStore,
): AsyncGenerator<ListedImage> {
  const images = [...await imagesIn(node, place)];
  images.sort(([a], [b]) => a < b ? -1 : 1);
  for (const [name, { digest, size, created }] of images) {
    yield {
      name,
      digest,
      size: BigInt(size),
      createdAt: timestampOf(created),
    };
  }
}

/**
 * Pulls an image.
 *
 * @throws {RpcError} NOT_FOUND when no registry has it, with what the node was about.
 */
export async function pulled(
  node: SimulatedNode,
  { place, reference, method }: {
    readonly place: ImageStore;
    readonly reference: string;
    readonly method: string;
  },
): Promise<Pulled> {
  try {
    return await pull(node, place, reference, method);
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== "NOT_FOUND") throw error;
    throw new RpcError("NOT_FOUND", `error pulling image: ${error.message}`);
  }
}
