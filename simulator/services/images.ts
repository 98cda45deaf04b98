/** Container images over the wire, since v1.13: `ImageService`. */

import { RpcError } from "../../errors.ts";
import {
  type ImageServiceDefinition,
  ImageServicePullLayerProgress_Status as Status,
  type ImageServicePullResponse,
} from "../../transport/gen/machine_image.ts";
import { imageName } from "../node/image_name.ts";
import { storeOfInstance } from "../node/image_request.ts";
import { imagesIn } from "../node/images.ts";
import type { StoredImage } from "../node/node_disk.ts";
import type { Handlers } from "../wire/handlers.ts";
import { listed, pulled } from "./machine_images.ts";

/** `List`, `Pull`, `Remove` and `Verify`. */
export const images: Handlers<typeof ImageServiceDefinition> = {
  async *list({ containerd }, { node }) {
    yield* listed(node, storeOfInstance(containerd));
  },
  async *pull({ containerd, imageRef: reference }, { node }) {
    const place = storeOfInstance(containerd);
    const pulling = { place, reference, method: "Pull" };
    const { image, pinned, isNew } = await pulled(node, pulling);
    if (isNew) yield* progressOf(image);
    yield { response: { $case: "name" as const, value: pinned } };
  },
  async remove({ containerd, imageRef }, { node }) {
    const all = await imagesIn(node, storeOfInstance(containerd));
    if (!all.delete(imageRef)) {
      throw new RpcError("NOT_FOUND", `image ${imageRef} not found`);
    }
    return {};
  },
  verify({ imageRef }) {
    if (!imageName(imageRef)) {
      throw new RpcError(
        "INVALID_ARGUMENT",
        `image reference is invalid: could not parse reference: ${imageRef}`,
      );
    }
    return {
      verified: false,
      message: "no matched rule",
      digestedImageRef: "",
    };
  },
};

/** The one layer of an image on its way. */
function* progressOf(
  { digest, size }: StoredImage,
): Generator<ImageServicePullResponse> {
  const layerId = digest.slice("sha256:".length).slice(0, 12);
  const total = BigInt(size);
  const steps = [
    { status: Status.DOWNLOADING, offset: total / 2n, total },
    { status: Status.DOWNLOAD_COMPLETE, offset: 0n, total: 0n },
    { status: Status.EXTRACTING, offset: 0n, total: 0n },
    { status: Status.EXTRACT_COMPLETE, offset: 0n, total: 0n },
  ];
  for (const step of steps) {
    const progress = { ...step, elapsed: { seconds: 0n, nanos: 0 } };
    const value = { layerId, progress };
    yield { response: { $case: "pullProgress", value } };
  }
}
