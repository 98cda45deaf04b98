/** Container images that simulated nodes have. */

import type { ImageStore, StoredImage } from "./node_disk.ts";
import { imagePrefix } from "../../dialect.ts";
import { RpcError } from "../../errors.ts";
import { kubernetesContainers } from "./containers.ts";
import { inRealTime } from "../clock/clock.ts";
import { strikes } from "../faults/faults.ts";
import { type ImageName, imageName, imageText } from "./image_name.ts";
import type { SimulatedNode } from "./node.ts";
import { runningRelease } from "./running_release.ts";

/** Images in one place by name. */
export async function imagesIn(
  node: SimulatedNode,
  place: ImageStore,
): Promise<Map<string, StoredImage>> {
  const known = node.disk.images.get(place);
  if (known) return known;
  const images = new Map<string, StoredImage>();
  node.disk.images.set(place, images);
  for (const source of usualImages(node, place)) {
    const name = imageName(source);
    if (name) add(images, name, await imageOf(node, name));
  }
  return images;
}

/** What was pulled. */
export interface Pulled {
  /** The image. */
  readonly image: StoredImage;
  /** Name with its digest. */
  readonly pinned: string;
  /** False when it was there already. */
  readonly isNew: boolean;
}

/**
 * Pulls an image, unless it is there.
 *
 * @param text Name of the image.
 * @param method Name of the method that asks for it, for faults: `ImagePull`.
 * @throws {RpcError} UNKNOWN when it is no name, or no registry answers; NOT_FOUND when no registry has the image.
 */
export async function pull(
  node: SimulatedNode,
  place: ImageStore,
  text: string,
  method: string,
): Promise<Pulled> {
  const name = imageName(text);
  if (!name) {
    throw new RpcError(
      "UNKNOWN",
      `failed to parse image reference "${text}": invalid reference format`,
    );
  }
  const images = await imagesIn(node, place);
  const full = imageText(name);
  const known = images.get(full);
  const pinned = ({ digest }: StoredImage) => `${name.repository}@${digest}`;
  if (known) return { image: known, pinned: pinned(known), isNew: false };
  if (strikes(node, "image-missing", method)) {
    throw new RpcError(
      "NOT_FOUND",
      `1 error(s) occurred:\n\tfailed to pull image "${full}": failed to resolve reference "${full}": ${full}: not found`,
    );
  }
  if (strikes(node, "registry-down", method)) {
    const url = `https://${name.repository.split("/")[0]}/v2/`;
    throw new RpcError(
      "UNKNOWN",
      `1 error(s) occurred:\n\tfailed to pull image "${full}": failed to resolve reference "${full}": failed to do request: Head "${url}": dial tcp: i/o timeout`,
    );
  }
  const image = await imageOf(node, name);
  add(images, name, image);
  return { image, pinned: pinned(image), isNew: true };
}

function add(
  images: Map<string, StoredImage>,
  name: ImageName,
  image: StoredImage,
): void {
  const pinned = `${name.repository}@${image.digest}`;
  const names = [imageText(name), pinned, image.digest];
  for (const one of names) if (!images.has(one)) images.set(one, image);
}

async function imageOf(
  { clock }: SimulatedNode,
  name: ImageName,
): Promise<StoredImage> {
  const source = imageText(name);
  const bytes = hashes.get(source) ?? await inRealTime(clock, hashOf(source));
  hashes.set(source, bytes);
  const digest = name.digest ?? `sha256:${new Uint8Array(bytes).toHex()}`;
  const size = 10_000_000 + new DataView(bytes).getUint32(0) % 140_000_000;
  return { digest, size, created: clock.now(), source };
}

const hashes = new Map<string, ArrayBuffer>();

function hashOf(source: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
}

/** What a node with Kubernetes has by itself. */
function usualImages(
  node: SimulatedNode,
  place: ImageStore,
): readonly string[] {
  if (place === "system/system") return [];
  if (place === "cri/k8s.io") {
    return kubernetesContainers(node).map(({ image }) => image);
  }
  if (!node.boot.services.has("kubelet")) return [];
  const { cluster: { kubernetes }, identity: { machineType } } = node;
  const { etcd } = runningRelease(node);
  return [
    `${imagePrefix}/kubelet:v${kubernetes}`,
    ...(machineType === "controlplane" ? [`registry.k8s.io/etcd:${etcd}`] : []),
  ];
}
