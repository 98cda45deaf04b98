/** `cluster.controlPlane.endpoint`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { endpointFault } from "./checks.ts";
import { isGiven, textOf } from "./texts.ts";

const hint =
  "Write it as https://HOST:6443, an IPv6 address as https://[fd00::1]:6443";

/** Every node knows where the cluster's API is. */
export function* controlPlaneEndpointRules(root: Cursor): Iterable<Problem> {
  const cluster = root.get("cluster");
  const controlPlane = cluster.get("controlPlane");
  const endpoint = controlPlane.get("endpoint");
  if (!isGiven(cluster)) {
    yield cluster.error(
      '"cluster" is missing',
      "Give at least cluster.controlPlane.endpoint",
    );
  } else if (!isGiven(controlPlane)) {
    yield controlPlane.error(
      '"controlPlane" is missing',
      "Give cluster.controlPlane.endpoint",
    );
  } else if (textOf(endpoint) === "") {
    yield endpoint.error('"endpoint" is missing', hint);
  } else {
    const fault = endpointFault(textOf(endpoint));
    if (fault === undefined) return;
    yield endpoint.error(`Endpoint "${textOf(endpoint)}" ${fault}`, hint);
  }
}
