/** `machine.kubelet`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { filterHint, isFilter } from "./checks.ts";
import { textsOf } from "./texts.ts";

/** Settings of the kubelet that the node makes itself. */
const ownKeys = new Set([
  "apiVersion",
  "authentication",
  "authorization",
  "cgroupRoot",
  "kind",
  "kubeletCgroups",
  "port",
  "protectKernelDefaults",
  "resolvConf",
  "rotateCertificates",
  "seccompDefault",
  "staticPodPath",
  "systemCgroups",
]);

/** Filters of addresses can be read, and nothing is set that the node decides. */
export function* kubeletRules(root: Cursor): Iterable<Problem> {
  const kubelet = root.get("machine", "kubelet");
  const subnets = textsOf(kubelet.get("nodeIP", "validSubnets"));
  for (const [place, subnet] of subnets) {
    if (isFilter(subnet)) continue;
    yield place.error(
      `Subnet "${subnet}" of the node's address is not valid`,
      filterHint,
    );
  }
  for (const [name, place] of kubelet.get("extraConfig").entries()) {
    if (!ownKeys.has(name)) continue;
    yield place.error(
      `Kubelet setting "${name}" cannot be changed`,
      "Remove it; the node decides it",
    );
  }
}
