import { domain } from "../../talos.ts";
import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type { ClusterView } from "../operations/cluster_view.ts";
import { readNodeConfiguration } from "../configuration/node_configuration.ts";
import { readSpec } from "../../transport/node/read_resource.ts";
import { compareVersions, parseVersion } from "../../lib/version.ts";
import type { ClusterFacts, NodeFacts } from "../runbook_cel/facts.ts";

/** Reads the facts from the first node that answers. Returns empty texts for facts that no node reports. */
export async function readClusterFacts(
  cluster: Pick<ClusterView, "at">,
  nodes: readonly Pick<NodeFacts, "address" | "reachable" | "version">[],
): Promise<ClusterFacts> {
  const versions = listVersions(nodes);
  for (const { address, reachable } of nodes) {
    if (!reachable) continue;
    try {
      // The next node is only asked if this one becomes unreachable.
      return { ...await readIdentity(await cluster.at(address)), versions };
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
    }
  }
  return { id: "", name: "", endpoint: "", versions };
}

/** Reads the cluster id from a node; empty when the node does not report it. */
export async function readClusterId(client: NodeClient): Promise<string> {
  return clusterIdIn(await readInfo(client));
}

function readInfo(client: NodeClient): ReturnType<typeof readSpec> {
  return readSpec(client, {
    namespace: "cluster",
    type: `Infos.cluster.${domain}`,
    id: "current",
  });
}

function clusterIdIn(info: Awaited<ReturnType<typeof readSpec>>): string {
  const id = info?.clusterId;
  return typeof id === "string" ? id : "";
}

async function readIdentity(
  client: NodeClient,
): Promise<Omit<ClusterFacts, "versions">> {
  const [info, configuration] = await Promise.all([
    readInfo(client),
    readNodeConfiguration(client),
  ]);
  const { clusterName } = info ?? {};
  return {
    id: clusterIdIn(info),
    name: typeof clusterName === "string" ? clusterName : "",
    endpoint: configuration?.endpoint ?? "",
  };
}

/**
 * Lists the versions of the operating system on nodes.
 *
 * @param nodes The nodes; those that did not answer have no version.
 * @returns Each version once, oldest first.
 */
export function listVersions(
  nodes: readonly Pick<NodeFacts, "version">[],
): readonly string[] {
  const known = new Set(nodes.map(({ version }) => version));
  return [...known].flatMap((text) => {
    const version = parseVersion(text);
    return version === undefined ? [] : [{ text, version }];
  }).toSorted((a, b) => compareVersions(a.version, b.version))
    .map(({ text }) => text);
}
