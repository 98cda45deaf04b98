/** Discovery of members, and KubeSpan, which depends on it. */

import { parseNetwork } from "../../lib/ip.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import type { RuleContext } from "./context.ts";
import {
  filterHint,
  isFilter,
  isServiceUrl,
  isSplit,
  listDocuments,
  listTexts,
  readText,
} from "./checks.ts";

/** Discovery through a service requires its URL and an identity. */
export function* discoveryRules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const cluster = root.get("cluster");
  if (listDocuments(context, "DiscoveryServiceConfig").length > 0) {
    yield* identityRules(cluster, "the discovery service needs", context);
  }
  const discovery = cluster.get("discovery");
  const service = discovery.get("registries", "service");
  if (
    discovery.get("enabled").truth() !== true ||
    service.get("disabled").truth() === true
  ) return;
  const endpoint = service.get("endpoint");
  const text = readText(endpoint);
  if (text !== "" && !isServiceUrl(text)) {
    yield endpoint.error(
      `Discovery service "${text}" is not an absolute URL without a path`,
      "Write a URL such as https://discovery.example.com/",
    );
  }
  yield* identityRules(cluster, "the discovery service needs", context);
}

/**
 * Members of a cluster need its id and secret.
 *
 * @param cluster `cluster`.
 * @param need Requiring feature, with a verb: `the discovery service needs`.
 */
function* identityRules(
  cluster: Cursor,
  need: string,
  context: RuleContext,
): Iterable<Problem> {
  if (listDocuments(context, "DiscoveryIdentityConfig").length > 0) return;
  for (const name of ["id", "secret"]) {
    if (readText(cluster.get(name)) !== "") continue;
    yield cluster.get(name).error(
      `cluster.${name} is missing, which ${need}`,
      "Give 32 random bytes in base64, the same on every node of the cluster",
    );
  }
}

const leastMtu = 1280;

/** KubeSpan requires discovery, the identity of the cluster and valid filters. */
export function* kubespanRules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const [own] = listDocuments(context, "KubeSpanConfig");
  if (own?.get("enabled").truth() === true && isSplit(context)) {
    yield* meshNeeds(root, context);
  }
  const mesh = root.get("machine", "network", "kubespan");
  if (mesh.get("enabled").truth() !== true) return;
  const mtu = mesh.get("mtu").number() ?? 0;
  if (mtu !== 0 && mtu < leastMtu) {
    yield mesh.get("mtu").error(
      `KubeSpan MTU ${mtu} is too small`,
      `Write at least ${leastMtu}, or remove it`,
    );
  }
  yield* meshNeeds(root, context);
  yield* filterRules(mesh.get("filters"));
}

function* meshNeeds(root: Cursor, context: RuleContext): Iterable<Problem> {
  if (listDocuments(context, "DiscoveryServiceConfig").length > 0) return;
  const cluster = root.get("cluster");
  const discovery = cluster.get("discovery", "enabled");
  if (discovery.truth() !== true) {
    yield discovery.error(
      "Discovery is not enabled, which KubeSpan needs",
      "Set cluster.discovery.enabled to true",
    );
  }
  // The discovery service requires the same two.
  if (discovery.truth() !== true || !usesService(cluster)) {
    yield* identityRules(cluster, "KubeSpan needs", context);
  }
}

function usesService(cluster: Cursor): boolean {
  const disabled = cluster.get(
    "discovery",
    "registries",
    "service",
    "disabled",
  );
  return disabled.truth() !== true;
}

function* filterRules(filters: Cursor): Iterable<Problem> {
  for (const [place, filter] of listTexts(filters.get("endpoints"))) {
    if (isFilter(filter)) continue;
    yield place.error(`Endpoint filter "${filter}" is not valid`, filterHint);
  }
  const excluded = listTexts(filters.get("excludeAdvertisedNetworks"));
  for (const [place, network] of excluded) {
    if (parseNetwork(network) !== undefined) continue;
    yield place.error(
      `Excluded network "${network}" is not in CIDR notation`,
      "Write a network such as 10.0.0.0/8",
    );
  }
}
