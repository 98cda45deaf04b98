/** `cluster.etcd`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { filterHint, isFilter } from "./checks.ts";
import { roleOf } from "./machine_type.ts";
import { isGiven, textOf, textsOf } from "./texts.ts";

/** Only control planes run etcd, and they need its authority. */
export function* etcdRules(root: Cursor): Iterable<Problem> {
  const etcd = root.get("cluster", "etcd");
  if (!isGiven(etcd)) return;
  if (roleOf(root) !== "controlplane") {
    yield etcd.error(
      "etcd is configured on a machine that is no control plane",
      "Remove cluster.etcd",
    );
    return;
  }
  if (!isGiven(etcd.get("ca"))) {
    yield etcd.get("ca").error(
      '"ca" is missing',
      "Give cluster.etcd.ca with crt and key",
    );
  }
  yield* subnetRules(etcd);
}

function* subnetRules(etcd: Cursor): Iterable<Problem> {
  const subnet = etcd.get("subnet");
  const advertised = textsOf(etcd.get("advertisedSubnets"));
  const old = textOf(subnet);
  if (old !== "" && advertised.length > 0) {
    yield subnet.error(
      `Both subnet "${old}" and advertisedSubnets are given`,
      "Remove subnet and list it in advertisedSubnets",
    );
  }
  const alone = advertised.length === 0 && old !== ""
    ? [[subnet, old] as const]
    : [];
  const listened = textsOf(etcd.get("listenSubnets"));
  for (const [place, text] of [...advertised, ...alone, ...listened]) {
    if (isFilter(text)) continue;
    yield place.error(`etcd subnet "${text}" is not valid`, filterHint);
  }
}
