/** The flag that selects images of Talos or Kubernetes. */

import type { ImageNamespace } from "../../workflows/operations/node/image_pull.ts";
import { choice, type Flag } from "../_kit/mod.ts";

/** `--namespace`. */
export const namespaceFlag: Flag<ImageNamespace> = choice(
  'image namespace: "system" for etcd and kubelet, "cri" for Kubernetes pods',
  ["system", "cri"],
  { initial: "cri" },
);
