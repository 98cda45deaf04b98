import { fullImageName } from "../../../config/images.ts";
import { RpcError } from "../../../errors.ts";
import {
  ContainerdNamespace,
  ContainerDriver,
} from "../../../transport/gen/common.ts";
import {
  ImageServicePullLayerProgress_Status as LayerStatus,
} from "../../../transport/gen/machine_image.ts";
import { reported } from "../../../transport/call/reply.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { unlessHidden } from "../../../transport/node/read_resource.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
} from "../operation.ts";

/** Which images: those of the system itself, or those of Kubernetes. */
export type ImageNamespace = "system" | "cri";

/** What is asked for. */
export type ImagePullInput = {
  /** Name of the image, with tag or digest. */
  readonly image: string;
  readonly namespace: ImageNamespace;
};

type ImagePullKey = {
  /** Digest the name stood for before; null for an image that was not there. */
  readonly before: string | null;
};

/** Namespaces as the wire numbers them. */
export const imageNamespaces: Readonly<
  Record<ImageNamespace, ContainerdNamespace>
> = {
  system: ContainerdNamespace.NS_SYSTEM,
  cri: ContainerdNamespace.NS_CRI,
};

/** `image pull`. Source: `ImageService.Pull`, on nodes without it `MachineService.ImagePull`. */
export const imagePull: Operation<ImagePullInput, ImagePullKey, ImagePullKey> =
  {
    name: "image pull",
    effect: "write",
    idempotency: "converge",
    quorum: () => "none",
    observe: async (site, input) => ({
      before: await imageDigest(site, input) ?? null,
    }),
    // What a tag stands for may have changed, what a digest stands for does not.
    plan: ({ before }, { image }) =>
      before !== null && image.includes("@")
        ? []
        : [{ action: `pull ${image}` }],
    key: (seen) => seen,
    async *apply(site, input) {
      yield { text: `pulling ${input.image}` };
      try {
        yield* pullInSteps(site, input);
      } catch (error) {
        const isOld = error instanceof RpcError &&
          error.code === "UNIMPLEMENTED";
        if (!isOld) throw error;
        await pullAtOnce(site, input);
      }
    },
    async reconcile(site, input, { before }) {
      const digest = await imageDigest(site, input);
      return digest === undefined || digest === before ? "not-started" : "done";
    },
    async *verify(site, input) {
      yield* [];
      const digest = await imageDigest(site, input);
      return digest === undefined
        ? {
          outcome: "accepted",
          reason: "the node reported success but does not list the image",
        }
        : { outcome: "done", reason: digest };
    },
  };

/** Reads the digest an image has on a node; `undefined` when it is not there. */
export async function imageDigest(
  { client, signal }: Pick<NodeContext, "client" | "signal">,
  { image, namespace }: ImagePullInput,
): Promise<string | undefined> {
  const name = fullImageName(image);
  const images = client.machine.imageList({
    namespace: imageNamespaces[namespace],
  }, { signal, deadlineMs: 30_000 });
  let found: string | undefined;
  for await (const message of images) {
    const failure = reported(message);
    if (failure !== undefined) throw failure;
    if (message.name === name) found = message.digest;
  }
  return found;
}

/** Reads the digests of all images by the names a node has them under; none where the node does not show them. */
export async function readImages(
  { machine }: Pick<NodeClient, "machine">,
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const namespace of Object.values(imageNamespaces)) {
    // One namespace after the other: a name in both has the digest of the last.
    const images = machine.imageList({ namespace }, { deadlineMs: 30_000 });
    for (const image of await unlessHidden(Array.fromAsync(images)) ?? []) {
      const failure = reported(image);
      if (failure !== undefined) throw failure;
      digests.set(image.name, image.digest);
    }
  }
  return digests;
}

async function* pullInSteps(
  { client, signal }: Pick<NodeContext, "client" | "signal">,
  { image, namespace }: ImagePullInput,
): AsyncGenerator<OperationProgress> {
  const answers = client.image.pull({
    containerd: {
      // Images of kubelet and etcd are in the namespace of the system, beside those of Kubernetes.
      driver: ContainerDriver.CRI,
      namespace: imageNamespaces[namespace],
    },
    imageRef: image,
  }, { signal });
  const layers = new Map<string, boolean>();
  for await (const { response } of answers) {
    if (response?.$case !== "pullProgress") continue;
    const { layerId, progress } = response.value;
    if (progress === undefined) continue;
    layers.set(layerId, ended.has(progress.status));
    const there = [...layers.values()].filter(Boolean).length;
    yield { text: `${there} of ${layers.size} layers pulled` };
  }
}

const ended: ReadonlySet<number> = new Set([
  LayerStatus.EXTRACT_COMPLETE,
  LayerStatus.ALREADY_EXISTS,
]);

async function pullAtOnce(
  { client, signal }: Pick<NodeContext, "client" | "signal">,
  { image, namespace }: ImagePullInput,
): Promise<void> {
  const request = {
    namespace: imageNamespaces[namespace],
    reference: image,
  };
  await client.machine.imagePull(request, { signal, deadlineMs: 0 });
}
