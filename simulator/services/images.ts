/** Container images, since v1.13: `ImageService`. */

import { RpcError } from "../../errors.ts";
import type { ImageListResponse } from "../../transport/gen/machine.ts";
import {
  type ImageServiceDefinition,
  type ImageServiceImportRequest,
  type ImageServiceListResponse,
  ImageServicePullLayerProgress_Status as Status,
  type ImageServicePullResponse,
} from "../../transport/gen/machine_image.ts";
import { importError, readImageArchive } from "../files/image_archive.ts";
import {
  imagesIn,
  importImage,
  parseImageName,
  type PulledImage,
  pullImage,
  storeOfInstance,
  storeOfNamespace,
} from "../node/images.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { NodeImageStore, StoredImage } from "../state/node_disk.ts";
import type { Handlers, MachineHandlers } from "./handlers.ts";
import { toTimestamp } from "../wire/timestamp.ts";

/** `List`, `Pull`, `Import`, `Remove` and `Verify`. */
export const images: Handlers<typeof ImageServiceDefinition> = {
  async *list({ containerd }, { node }) {
    yield* listImages(node, storeOfInstance(containerd));
  },
  async *pull({ containerd, imageRef: reference }, { node }) {
    const place = storeOfInstance(containerd);
    const pulling = { place, reference, method: "Pull" };
    const { image, pinned, isNew } = await pullFor(node, pulling);
    if (isNew) yield* reportProgress(image);
    yield { response: { $case: "name" as const, value: pinned } };
  },
  async import(requests, { node }) {
    const input = requests[Symbol.asyncIterator]();
    const { request } = (await input.next()).value ?? {};
    if (request?.$case !== "containerd") {
      throw invalid("containerd instance is required");
    }
    const place = storeOfInstance(request.value);
    const archived = await readImageArchive(readChunks(input));
    return { name: await importImage(node, place, archived) };
  },
  async remove({ containerd, imageRef }, { node }) {
    const all = await imagesIn(node, storeOfInstance(containerd));
    if (!all.delete(imageRef)) {
      throw new RpcError("NOT_FOUND", `image ${imageRef} not found`);
    }
    return {};
  },
  verify({ imageRef }) {
    if (!parseImageName(imageRef)) {
      throw invalid(
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

async function* readChunks(
  requests: AsyncIterator<ImageServiceImportRequest>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await requests.next();
    if (done) return;
    const { request } = value;
    if (request?.$case !== "imageChunk") throw importError("no image chunk");
    yield request.value.bytes;
  }
}

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}

function* reportProgress(
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

/** `ImageList` and `ImagePull`. */
export const machineImages: MachineHandlers = {
  async *imageList({ namespace }, { node }) {
    yield* listImages(node, storeOfNamespace(namespace));
  },
  async imagePull({ namespace, reference }, { node }) {
    await pullFor(node, {
      place: storeOfNamespace(namespace),
      reference,
      method: "ImagePull",
    });
    return { messages: [{}] };
  },
};

type ListedImage =
  & Omit<ImageServiceListResponse, "createdAt">
  & Pick<ImageListResponse, "createdAt">;

/** Label with which the container runtime interface marks all images in its namespace. */
const managed = { "io.cri-containerd.image": "managed" };

async function* listImages(
  node: SimulatedNode,
  place: NodeImageStore,
): AsyncGenerator<ListedImage> {
  const images = [...await imagesIn(node, place)];
  images.sort(([a], [b]) => a < b ? -1 : 1);
  const labels = place === "cri/k8s.io" ? managed : {};
  for (const [name, { digest, size, created }] of images) {
    yield {
      name,
      labels,
      digest,
      size: BigInt(size),
      createdAt: toTimestamp(created),
    };
  }
}

/** Pulls an image. Throws RpcError NOT_FOUND if no registry has it, with the node's context. */
async function pullFor(
  node: SimulatedNode,
  { place, reference, method }: {
    readonly place: NodeImageStore;
    readonly reference: string;
    readonly method: string;
  },
): Promise<PulledImage> {
  try {
    return await pullImage(node, place, reference, method);
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== "NOT_FOUND") throw error;
    throw new RpcError("NOT_FOUND", `error pulling image: ${error.message}`);
  }
}
