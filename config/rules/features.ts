/** `machine.features`. */

import { podAccessField } from "../../dialect.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import type { RuleContext } from "./context.ts";
import { oneOf, roleOf, textOf, textsOf } from "./checks.ts";

const sortAlgorithms = ["v1", "v2"];
const roles = [
  "os:admin",
  "os:operator",
  "os:reader",
  "os:etcd:backup",
  "os:impersonator",
];

/** Switches that depend on the kind of machine, or on where it runs. */
export function* featureRules(
  root: Cursor,
  { mode }: RuleContext,
): Iterable<Problem> {
  const features = root.get("machine", "features");
  if (mode === "container") yield* containerDnsRules(features.get("hostDNS"));
  yield* podAccessRules(root, features.get(podAccessField));
  const algorithm = features.get("nodeAddressSortAlgorithm");
  if (
    textOf(algorithm) !== "" &&
    !sortAlgorithms.includes(textOf(algorithm).toLowerCase())
  ) {
    yield algorithm.error(
      `Sort algorithm "${textOf(algorithm)}" does not exist`,
      `Write ${oneOf(sortAlgorithms)}`,
    );
  }
}

/** The DNS servers of a container's host are out of reach for pods. */
function* containerDnsRules(hostDns: Cursor): Iterable<Problem> {
  for (const name of ["enabled", "forwardKubeDNSToHost"]) {
    const flag = hostDns.get(name);
    if (flag.truth() === true) continue;
    yield flag.error(
      `hostDNS.${name} is not true, which mode "container" needs`,
      `Set machine.features.hostDNS.${name} to true`,
    );
  }
}

function* podAccessRules(root: Cursor, access: Cursor): Iterable<Problem> {
  const enabled = access.get("enabled");
  if (enabled.truth() !== true) return;
  if (roleOf(root) !== "controlplane") {
    yield enabled.error(
      "Pods can only use the node API through control planes, and this machine is none",
      `Set ${podAccessField}.enabled to false`,
    );
  }
  for (const [place, role] of textsOf(access.get("allowedRoles"))) {
    if (roles.includes(role)) continue;
    yield place.error(`Role "${role}" does not exist`, `Write ${oneOf(roles)}`);
  }
}
