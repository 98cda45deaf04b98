/** Version of Kubernetes on a node. */

import { domain } from "../../dialect.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readSpec } from "../operations/read_resource.ts";

/**
 * Reads the version of the kubelet, which is the oldest part of Kubernetes on a node.
 * Source: the tag of the image in `KubeletSpecs`.
 *
 * @returns With `v`; empty when the node does not tell, or its image names no version.
 */
export async function readKubeletVersion(
  client: Pick<NodeClient, "state">,
): Promise<string> {
  const spec = await readSpec(client, {
    namespace: "k8s",
    type: `KubeletSpecs.kubernetes.${domain}`,
    id: "kubelet",
  });
  return versionIn(spec?.image);
}

/** The tag of an image, without what follows the version. */
function versionIn(image: unknown): string {
  if (typeof image !== "string") return "";
  const [named = ""] = image.split("@");
  return /:(v\d+\.\d+\.\d+[^-]*(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(named)
    ?.[1] ??
    "";
}
