/** `cluster.discovery`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isServiceUrl } from "./checks.ts";
import { textOf } from "./texts.ts";

/** Members that find each other through a service need its URL and an identity. */
export function* discoveryRules(root: Cursor): Iterable<Problem> {
  const cluster = root.get("cluster");
  const discovery = cluster.get("discovery");
  const service = discovery.get("registries", "service");
  if (
    discovery.get("enabled").truth() !== true ||
    service.get("disabled").truth() === true
  ) return;
  const endpoint = service.get("endpoint");
  const text = textOf(endpoint);
  if (text !== "" && !isServiceUrl(text)) {
    yield endpoint.error(
      `Discovery service "${text}" is not an absolute URL without a path`,
      "Write a URL such as https://discovery.example.com/",
    );
  }
  yield* identityRules(cluster, "the discovery service needs");
}

/**
 * Members of a cluster know its id and its secret.
 *
 * @param cluster `cluster`.
 * @param need Who asks for them, with a verb: `the discovery service needs`.
 */
export function* identityRules(
  cluster: Cursor,
  need: string,
): Iterable<Problem> {
  for (const name of ["id", "secret"]) {
    if (textOf(cluster.get(name)) !== "") continue;
    yield cluster.get(name).error(
      `cluster.${name} is missing, which ${need}`,
      "Give 32 random bytes in base64, the same on every node of the cluster",
    );
  }
}
