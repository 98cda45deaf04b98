/** Images of Kubernetes in new configurations. */

import { defaultImages, defaultKubernetes } from "../default_images.ts";

/** Parts of Kubernetes that have an image of their own. */
export type KubernetesPart =
  | "kubelet"
  | "apiServer"
  | "controllerManager"
  | "scheduler"
  | "proxy";

/**
 * Name of an image.
 *
 * @param version Kubernetes, without `v`; empty when the node is to choose.
 * @returns `undefined` when the node is to choose.
 */
export function imageOf(
  part: KubernetesPart,
  version: string = defaultKubernetes,
): string | undefined {
  return version === "" ? undefined : `${defaultImages[part]}:v${version}`;
}
