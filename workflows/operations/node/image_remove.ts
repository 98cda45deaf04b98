import { fullImageName } from "../../../config/images.ts";
import type { Operation } from "../operation.ts";
import {
  containerdInstances,
  imageDigest,
  type NodeImage,
} from "./node_images.ts";

/** `image remove`. Source: `ImageService.Remove`. */
export const imageRemove: Operation<NodeImage, string | undefined, null> = {
  name: "image remove",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: imageDigest,
  plan: (digest, { image }) =>
    digest === undefined ? [] : [{ action: `remove ${image}` }],
  already: "the node does not have the image",
  key: () => null,
  async *apply({ client, signal }, { image, namespace }) {
    yield { text: `removing ${image}` };
    await client.image.remove({
      containerd: containerdInstances[namespace],
      imageRef: fullImageName(image),
    }, { signal });
  },
  reconcile: async (context, input) =>
    await imageDigest(context, input) === undefined ? "done" : "not-started",
  async *verify(context, input) {
    yield* [];
    return await imageDigest(context, input) === undefined
      ? { outcome: "done", reason: "removed" }
      : {
        outcome: "failed",
        reason: "the node reported success but still lists the image",
      };
  },
};
