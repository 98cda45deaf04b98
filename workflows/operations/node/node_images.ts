/** Container images on nodes, by namespace. */

import { fullImageName } from "../../../config/images.ts";
import { RpcError } from "../../../errors.ts";
import type { CallOptions } from "../../../transport/call/call.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { replyError } from "../../../transport/call/reply.ts";
import {
  type ContainerdInstance,
  ContainerdNamespace,
  ContainerDriver,
} from "../../../transport/gen/common.ts";
import type { ImageServiceListResponse } from "../../../transport/gen/machine_image.ts";
import { unlessHidden } from "../../../transport/node/read_resource.ts";
import type { NodeContext } from "../operation.ts";

/** Store of images: of the system, of Kubernetes, or of the containerd in memory. */
export type ImageNamespace = "system" | "cri" | "inmem";

/** An image on a node. */
export type NodeImage<Namespace extends ImageNamespace = ImageNamespace> = {
  /** Image reference, with tag or digest. */
  readonly image: string;
  readonly namespace: Namespace;
};

/** Namespaces as protobuf enums; nodes before v1.13 know no others. */
export const imageNamespaces = {
  system: ContainerdNamespace.NS_SYSTEM,
  cri: ContainerdNamespace.NS_CRI,
} as const satisfies Partial<Record<ImageNamespace, ContainerdNamespace>>;

/** Containerd instances of the namespaces. */
export const containerdInstances: Readonly<
  Record<ImageNamespace, ContainerdInstance>
> = {
  // The kubelet and etcd images are in the system namespace.
  system: {
    driver: ContainerDriver.CRI,
    namespace: ContainerdNamespace.NS_SYSTEM,
  },
  cri: { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_CRI },
  inmem: {
    driver: ContainerDriver.CONTAINERD,
    namespace: ContainerdNamespace.NS_SYSTEM,
  },
};

/** True if the node has no such method. */
export function isUnimplemented(error: unknown): boolean {
  return error instanceof RpcError && error.code === "UNIMPLEMENTED";
}

/**
 * Lists images. Source: `ImageService.List`, on nodes without it `MachineService.ImageList`, which has no labels.
 *
 * @throws {RpcError} UNIMPLEMENTED for `inmem` on nodes before v1.13.
 */
export async function* listImages(
  { image, machine }: Pick<NodeClient, "image" | "machine">,
  namespace: ImageNamespace,
  options: CallOptions = {},
): AsyncGenerator<ImageServiceListResponse> {
  try {
    const containerd = containerdInstances[namespace];
    return yield* image.list({ containerd }, options);
  } catch (error) {
    if (!isUnimplemented(error) || namespace === "inmem") throw error;
  }
  yield* listByMachine(machine, namespace, options);
}

/** Lists images by the call that nodes of all versions have. */
async function* listByMachine(
  machine: NodeClient["machine"],
  namespace: keyof typeof imageNamespaces,
  options: CallOptions,
): AsyncGenerator<ImageServiceListResponse> {
  const request = { namespace: imageNamespaces[namespace] };
  let failure: RpcError | undefined;
  for await (const message of machine.imageList(request, options)) {
    const said = replyError(message);
    if (said === undefined) yield { ...message, labels: {} };
    else failure ??= said;
  }
  if (failure !== undefined) throw failure;
}

/** Reads the digest of an image on a node; `undefined` if not present. */
export async function imageDigest(
  { client, signal }: Pick<NodeContext, "client" | "signal">,
  { image, namespace }: NodeImage,
): Promise<string | undefined> {
  const name = fullImageName(image);
  const options = { signal, deadlineMs: 30_000 };
  const images = namespace === "inmem"
    ? listImages(client, namespace, options)
    : listByMachine(client.machine, namespace, options);
  let found: string | undefined;
  for await (const listed of images) {
    if (listed.name === name) found = listed.digest;
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
      const failure = replyError(image);
      if (failure !== undefined) throw failure;
      digests.set(image.name, image.digest);
    }
  }
  return digests;
}
