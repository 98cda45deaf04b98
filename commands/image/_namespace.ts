/** The flag that tells images of the system from those of Kubernetes. */

import type { ImageNamespace } from "../../workflows/operations/image_pull.ts";
import { choice, type Flag } from "../_kit/mod.ts";

/** `--namespace`. */
export const namespaceFlag: Flag<ImageNamespace> = choice(
  'whose images: "system" those of etcd and kubelet, "cri" all of Kubernetes',
  ["system", "cri"],
  { initial: "cri" },
);
