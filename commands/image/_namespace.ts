/** The flag that selects images of Talos, Kubernetes or the containerd in memory. */

import type { ImageNamespace } from "../../workflows/operations/node/node_images.ts";
import { choice, type Flag } from "../_kit/mod.ts";

/** `--namespace`. */
export const namespaceFlag: Flag<ImageNamespace> = choice(
  'image namespace: "system" for etcd and kubelet, "cri" for Kubernetes pods, "inmem" for images in memory',
  ["system", "cri", "inmem"],
  { initial: "cri" },
);
