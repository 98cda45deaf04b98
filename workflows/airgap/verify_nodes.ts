/** Checks that nodes can pull images. Images pulled for the check are removed again. */

import { fullImageName } from "../../config/images.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  containerdInstances,
  imageNamespaces,
  readImages,
} from "../operations/node/node_images.ts";
import { type ClosureImage, reference } from "./closure.ts";

interface NodeImageCheck {
  readonly image: ClosureImage;
  /**
   * `pulled`; `present`: already on the node, not pulled again; `reachable`: not pulled, as the node could not remove
   * it, but a registry serves the repository; `failed`; `unknown`.
   */
  readonly state: "pulled" | "present" | "reachable" | "failed" | "unknown";
  /** Reason; empty if there is none. */
  readonly reason: string;
}

interface NodeCheckOptions {
  /** Timeout for each image, in milliseconds. */
  readonly deadlineMs: number;
  /** True to keep pulled images on the node. */
  readonly keep: boolean;
  readonly mirrored: ReadonlySet<ClosureImage>;
  /** Stops pulling; pulled images are still removed. */
  readonly signal: AbortSignal;
}

/** Timeout for each request, in milliseconds. */
const deadlineMs = 30_000;

const noDigest = `sha256:${"0".repeat(64)}`;

/** Timeout for registries to report a missing image, in milliseconds. */
const reachDeadlineMs = 15_000;

/** Containerd namespace to pull to: the kubelet does not garbage-collect system images. */
const containerd = containerdInstances.system;

/**
 * Pulls images on a node, one by one.
 *
 * Source: `ImageService.Pull` and `.Remove`; nodes before v1.13 have `MachineService.ImagePull`, and cannot remove.
 */
export async function* verifyNode(
  client: NodeClient,
  images: readonly ClosureImage[],
  options: NodeCheckOptions,
): AsyncGenerator<NodeImageCheck> {
  const present = await readImages(client);
  const removes = options.keep || await canRemove(client);
  const reach = findReach(client, options.signal);
  for (const image of images) {
    options.signal.throwIfAborted();
    if (isPresent(image, present)) {
      yield { image, state: "present", reason: "" };
    } else if (removes) {
      // Sequential: the node's disk may not have room for all of them.
      yield await pullImage(client, image, options);
    } else if (!options.mirrored.has(image)) {
      const reason = `${cannotRemove}; use --pull keep, or name the mirror`;
      yield { image, state: "unknown", reason };
    } else yield await reach(image);
  }
}

const cannotRemove = "nodes before v1.13 cannot remove images";

/**
 * Checks without side effects that registries answer a node: a pull of an image that does not exist fails at once when
 * one registry has answered and none has refused.
 *
 * Source: `MachineService.ImagePull`; NOT_FOUND since v1.8.
 */
function findReach(
  { machine }: NodeClient,
  signal: AbortSignal,
): (image: ClosureImage) => Promise<NodeImageCheck> {
  const namespace = imageNamespaces.system;
  const repositories = new Set<string>();
  const silent = new Map<string, string>();
  return async (image) => {
    const repository = parseRepository(image);
    const [registry = ""] = repository.split("/");
    if (!repositories.has(repository) && !silent.has(registry)) {
      const asked = { namespace, reference: `${repository}@${noDigest}` };
      const options = { deadlineMs: reachDeadlineMs, signal };
      try {
        await machine.imagePull(asked, options);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof OsctlError)) throw error;
        const isReached = error instanceof RpcError &&
          error.code === "NOT_FOUND";
        if (isReached) repositories.add(repository);
        // An unresponsive registry is waited for once.
        else silent.set(registry, error.message);
      }
    }
    return repositories.has(repository)
      ? { image, state: "reachable", reason: "" }
      : {
        ...{ image, state: "unknown" },
        reason: `${cannotRemove}, and no registry answers: ${
          silent.get(registry)
        }`,
      };
  };
}

function isPresent(
  { name, digest }: ClosureImage,
  present: ReadonlyMap<string, string>,
): boolean {
  if (digest === undefined) return present.has(name);
  return [...present.values()].includes(digest);
}

/** Probes the service that removes images by listing them. */
async function canRemove({ image }: NodeClient): Promise<boolean> {
  try {
    for await (const _ of image.list({ containerd }, { deadlineMs })) {
      break;
    }
    return true;
  } catch (error) {
    if (error instanceof RpcError && error.code === "UNIMPLEMENTED") {
      return false;
    }
    throw error;
  }
}

async function pullImage(
  client: NodeClient,
  image: ClosureImage,
  { keep, deadlineMs, signal }: NodeCheckOptions,
): Promise<NodeImageCheck> {
  const before = keep ? new Set<string>() : await namesIn(client);
  try {
    await pull(client, image, { deadlineMs, signal });
    return { image, state: "pulled", reason: "" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OsctlError)) throw error;
    return { image, state: "failed", reason: error.message };
  } finally {
    // Also after an interrupt or a partial failure.
    if (!keep) await removeNew(client, image, before);
  }
}

async function pull(
  { image: service, machine }: NodeClient,
  image: ClosureImage,
  options: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<void> {
  // By digest, so that no existing tag on the node moves to another image.
  const imageRef = reference(image);
  try {
    for await (const _ of service.pull({ containerd, imageRef }, options)) {
      // What counts is how it ends.
    }
  } catch (error) {
    const isOld = error instanceof RpcError && error.code === "UNIMPLEMENTED";
    if (!isOld) throw error;
    const namespace = imageNamespaces.system;
    await machine.imagePull({ namespace, reference: imageRef }, options);
  }
}

async function namesIn({ image }: NodeClient): Promise<ReadonlySet<string>> {
  const answers = image.list({ containerd }, { deadlineMs });
  return new Set((await Array.fromAsync(answers)).map(({ name }) => name));
}

/** Removes the references created by a pull: by name and by digest. */
async function removeNew(
  { image: service }: NodeClient,
  image: ClosureImage,
  before: ReadonlySet<string>,
): Promise<void> {
  const repository = parseRepository(image);
  const answers = service.list({ containerd }, { deadlineMs });
  const listed = await Array.fromAsync(answers);
  const own = listed.filter(({ name }) =>
    !before.has(name) && parseRepository({ name }) === repository
  );
  const digests = new Set(own.map(({ digest }) => digest));
  for (const { name, digest } of listed) {
    const isNew = !before.has(name) &&
      (parseRepository({ name }) === repository || digests.has(digest));
    if (!isNew) continue;
    try {
      // The node frees its disk before it responds.
      const options = { deadlineMs: 2 * deadlineMs };
      await service.remove({ containerd, imageRef: name }, options);
    } catch (error) {
      const isGone = error instanceof RpcError && error.code === "NOT_FOUND";
      if (!isGone) throw error;
    }
  }
}

function parseRepository({ name }: Pick<ClosureImage, "name">): string {
  const [named = ""] = fullImageName(name).split("@");
  const colon = named.indexOf(":", named.lastIndexOf("/"));
  return colon < 0 ? named : named.slice(0, colon);
}
