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

/** Containerd namespace: that of the system, or that of Kubernetes. */
export type ImageNamespace = "system" | "cri";

/** Input of `image pull`. */
export type ImagePullInput = {
  /** Image reference, with tag or digest. */
  readonly image: string;
  readonly namespace: ImageNamespace;
};

type ImagePullKey = {
  /** Previous digest of the reference; null if it was not present. */
  readonly before: string | null;
};

/** Namespaces as protobuf enums. */
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
    // A tag may have moved; a digest never does.
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

/** Reads the digest of an image on a node; `undefined` if not present. */
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

/** Reads the digests of all images by name; empty when the node does not show them. */
export async function readImages(
  { machine }: Pick<NodeClient, "machine">,
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const namespace of Object.values(imageNamespaces)) {
    // In order: a name in both has the digest of the last.
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
      // The kubelet and etcd images are in the system namespace.
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
