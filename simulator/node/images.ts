import { isFactoryOnly } from "../../config/releases.ts";
import { imagePrefix } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import {
  type ContainerdInstance,
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../transport/gen/common.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import { inRealTime } from "../clock/clock.ts";
import { triggerFault } from "../state/faults.ts";
import { etcdImage } from "./contents/kubernetes.ts";
import { kubernetesContainers } from "./containers.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { NodeImageStore, StoredImage } from "../state/node_disk.ts";

const noDigest = `sha256:${"0".repeat(64)}`;

/** Images in a store by name. */
export async function imagesIn(
  node: SimulatedNode,
  place: NodeImageStore,
): Promise<Map<string, StoredImage>> {
  const known = node.disk.images.get(place);
  if (known) return known;
  const images = new Map<string, StoredImage>();
  const { startedAt } = node.boot;
  node.disk.images.set(place, images);
  for (const source of usualImages(node, place)) {
    const name = parseImageName(source);
    // Images of the node were pulled at boot.
    if (name) add(images, name, await makeImage(node, name, startedAt));
  }
  return images;
}

/** A pulled image. */
export interface PulledImage {
  readonly image: StoredImage;
  readonly pinned: string;
  /** False if it was present already. */
  readonly isNew: boolean;
}

/**
 * Pulls an image unless it is present.
 *
 * @param method Name of the requesting method, for faults: `ImagePull`.
 * @throws {RpcError} UNKNOWN if the name is invalid or no registry responds; NOT_FOUND if no registry has the image.
 */
export async function pullImage(
  node: SimulatedNode,
  place: NodeImageStore,
  text: string,
  method: string,
): Promise<PulledImage> {
  const name = parseImageName(text);
  if (!name) {
    throw new RpcError(
      "UNKNOWN",
      `failed to parse image reference "${text}": invalid reference format`,
    );
  }
  const images = await imagesIn(node, place);
  const full = imageReference(name);
  const known = images.get(full);
  const pinned = ({ digest }: StoredImage) => `${name.repository}@${digest}`;
  if (known) return { image: known, pinned: pinned(known), isNew: false };
  const isMissing = triggerFault(node, "image-missing", method) !== undefined;
  const isSilent = !isMissing &&
    triggerFault(node, "registry-down", method) !== undefined;
  const isNowhere = name.digest === noDigest || !isPublished(name);
  if (isMissing || (isNowhere && !isSilent)) {
    throw new RpcError(
      "NOT_FOUND",
      `1 error(s) occurred:\n\tfailed to pull image "${full}": failed to resolve reference "${full}": ${full}: not found`,
    );
  }
  if (isSilent) {
    const url = `https://${name.repository.split("/")[0]}/v2/`;
    throw new RpcError(
      "UNKNOWN",
      `1 error(s) occurred:\n\tfailed to pull image "${full}": failed to resolve reference "${full}": failed to do request: Head "${url}": dial tcp: i/o timeout`,
    );
  }
  const image = await makeImage(node, name, node.clock.now());
  add(images, name, image);
  return { image, pinned: pinned(image), isNew: true };
}

/** True unless the name is of an installer that its release does not publish there. */
function isPublished({ repository, tag = "" }: ImageName): boolean {
  return repository !== `${imagePrefix}/installer` || !isFactoryOnly(tag);
}

/** True if an image can be pulled, as far as its name tells. */
export function isPullable(text: string): boolean {
  const name = parseImageName(text);
  return name !== undefined && isPublished(name);
}

/** An image in an archive. */
export interface ArchivedImage {
  readonly name: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Size of all files of the archive, in bytes. */
  readonly size: number;
}

/** Adds an image from an archive. Returns its name, fully qualified if valid. */
export async function importImage(
  node: SimulatedNode,
  place: NodeImageStore,
  { name: given, digest, size }: ArchivedImage,
): Promise<string> {
  const images = await imagesIn(node, place);
  const name = parseImageName(given);
  const source = name ? imageReference(name) : given;
  images.set(source, { digest, size, created: node.clock.now(), source });
  return source;
}

function add(
  images: Map<string, StoredImage>,
  name: ImageName,
  image: StoredImage,
): void {
  const pinned = `${name.repository}@${image.digest}`;
  const names = [imageReference(name), pinned, image.digest];
  for (const one of names) if (!images.has(one)) images.set(one, image);
}

async function makeImage(
  { clock }: SimulatedNode,
  name: ImageName,
  created: number,
): Promise<StoredImage> {
  const source = imageReference(name);
  const bytes = hashes.get(source) ??
    await inRealTime(clock, hashSource(source));
  hashes.set(source, bytes);
  const digest = name.digest ?? `sha256:${new Uint8Array(bytes).toHex()}`;
  const size = 10_000_000 + new DataView(bytes).getUint32(0) % 140_000_000;
  return { digest, size, created, source };
}

const hashes = new Map<string, ArrayBuffer>();

function hashSource(source: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(source));
}

function usualImages(
  node: SimulatedNode,
  place: NodeImageStore,
): readonly string[] {
  if (place === "system/system") return [];
  if (place === "cri/k8s.io") {
    return kubernetesContainers(node).map(({ image }) => image);
  }
  if (!node.boot.services.has("kubelet")) return [];
  const { cluster: { kubernetes }, identity: { machineType } } = node;
  return [
    `${imagePrefix}/kubelet:v${kubernetes}`,
    ...(machineType === "controlplane" ? [etcdImage(node)] : []),
  ];
}

interface ImageName {
  /** Registry and path: `docker.io/library/nginx`. */
  readonly repository: string;
  /** Absent in a name with a digest. */
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits; absent in a name with a tag. */
  readonly digest?: string;
}

const pattern =
  /^((?:[\w.-]+(?::\d+)?\/)?(?:[a-z0-9]+(?:[._-]+[a-z0-9]+)*\/)*[a-z0-9]+(?:[._-]+[a-z0-9]+)*)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/**
 * Parses an image name.
 *
 * @param text Name; the registry defaults to that of Docker, the tag to `latest`. A digest takes precedence over a tag.
 * @returns `undefined` if it is not an image name.
 */
export function parseImageName(text: string): ImageName | undefined {
  const [, path, tag = "latest", digest] = pattern.exec(text) ?? [];
  if (path === undefined) return undefined;
  const repository = withRegistry(path);
  return digest === undefined ? { repository, tag } : { repository, digest };
}

/** Formats the fully qualified name. */
function imageReference({ repository, tag, digest }: ImageName): string {
  return digest === undefined
    ? `${repository}:${tag}`
    : `${repository}@${digest}`;
}

function withRegistry(path: string): string {
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0) return `docker.io/library/${path}`;
  return /[.:A-Z]|^localhost$/.test(first) ? path : `docker.io/${path}`;
}

/**
 * Finds the images of a namespace: those of Kubernetes, or those of system containers in the same runtime.
 * Throws `RpcError`: INVALID_ARGUMENT if there is no such namespace.
 */
export function storeOfNamespace(namespace: Namespace): NodeImageStore {
  if (namespace === Namespace.NS_CRI) return "cri/k8s.io";
  if (namespace === Namespace.NS_SYSTEM) return "cri/system";
  throw invalid(`invalid namespace ${enumName(Namespace, namespace)}`);
}

/**
 * Finds the images of a runtime. Throws `RpcError`: INVALID_ARGUMENT if there is no such runtime or
 * no such namespace in it.
 */
export function storeOfInstance(
  { driver, namespace }: ContainerdInstance = {
    driver: Driver.CONTAINERD,
    namespace: Namespace.NS_UNKNOWN,
  },
): NodeImageStore {
  if (driver !== Driver.CONTAINERD && driver !== Driver.CRI) {
    const name = enumName(Driver, driver);
    throw invalid(`invalid containerd driver ${name}`);
  }
  if (namespace !== Namespace.NS_CRI && namespace !== Namespace.NS_SYSTEM) {
    const name = enumName(Namespace, namespace);
    throw invalid(`invalid containerd namespace ${name}`);
  }
  if (driver === Driver.CRI) return storeOfNamespace(namespace);
  if (namespace === Namespace.NS_SYSTEM) return "system/system";
  throw invalid("cannot use CRI namespace with containerd driver");
}

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}
