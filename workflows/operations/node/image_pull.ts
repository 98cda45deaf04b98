import {
  ImageServicePullLayerProgress_Status as LayerStatus,
} from "../../../transport/gen/machine_image.ts";
import {
  containerdInstances,
  imageDigest,
  imageNamespaces,
  isUnimplemented,
  type NodeImage,
} from "./node_images.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
} from "../operation.ts";

type ImagePullKey = {
  /** Previous digest of the reference; null if it was not present. */
  readonly before: string | null;
};

/** `image pull`. Source: `ImageService.Pull`, on nodes without it `MachineService.ImagePull`. */
export const imagePull: Operation<NodeImage, ImagePullKey, ImagePullKey> = {
  name: "image pull",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: async (context, input) => ({
    before: await imageDigest(context, input) ?? null,
  }),
  // A tag may have moved; a digest never does.
  plan: ({ before }, { image }) =>
    before !== null && image.includes("@") ? [] : [{ action: `pull ${image}` }],
  key: (seen) => seen,
  async *apply(context, input) {
    yield { text: `pulling ${input.image}` };
    try {
      yield* pullInSteps(context, input);
    } catch (error) {
      const { namespace } = input;
      if (!isUnimplemented(error) || namespace === "inmem") throw error;
      await pullAtOnce(context, { ...input, namespace });
    }
  },
  async reconcile(context, input, { before }) {
    const digest = await imageDigest(context, input);
    return digest === undefined || digest === before ? "not-started" : "done";
  },
  async *verify(context, input) {
    yield* [];
    const digest = await imageDigest(context, input);
    return digest === undefined
      ? {
        outcome: "accepted",
        reason: "the node reported success but does not list the image",
      }
      : { outcome: "done", reason: digest };
  },
};

/**
 * Pulls an image by the service of v1.13 and later. Source: `ImageService.Pull`.
 *
 * @returns Name of the image on the node, with its digest.
 */
export async function* pullInSteps(
  { client, signal }: Pick<NodeContext, "client" | "signal">,
  { image, namespace }: NodeImage,
): AsyncGenerator<OperationProgress, string> {
  const answers = client.image.pull({
    containerd: containerdInstances[namespace],
    imageRef: image,
  }, { signal });
  const layers = new Map<string, boolean>();
  let name = image;
  for await (const { response } of answers) {
    if (response?.$case === "name") name = response.value;
    if (response?.$case !== "pullProgress") continue;
    const { layerId, progress } = response.value;
    if (progress === undefined) continue;
    layers.set(layerId, ended.has(progress.status));
    const there = [...layers.values()].filter(Boolean).length;
    yield { text: `${there} of ${layers.size} layers pulled` };
  }
  return name;
}

const ended: ReadonlySet<number> = new Set([
  LayerStatus.EXTRACT_COMPLETE,
  LayerStatus.ALREADY_EXISTS,
]);

async function pullAtOnce(
  { client, signal }: Pick<NodeContext, "client" | "signal">,
  { image, namespace }: NodeImage<keyof typeof imageNamespaces>,
): Promise<void> {
  const request = {
    namespace: imageNamespaces[namespace],
    reference: image,
  };
  await client.machine.imagePull(request, { signal, deadlineMs: 0 });
}
