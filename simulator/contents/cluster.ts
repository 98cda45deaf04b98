/** What a node knows of its cluster. */

import { runtimeName } from "../../dialect.ts";
import type { SimulatedNode } from "../node.ts";
import { runningRelease } from "../running_release.ts";
import { type Content, keyOf } from "./content.ts";

/** Identity of the node and of its cluster. */
export function clusterContents(node: SimulatedNode): readonly Content[] {
  const { cluster } = node;
  return [
    {
      type: "Identities.cluster",
      id: "local",
      owner: "cluster.NodeIdentityController",
      spec: { nodeId: nodeIdOf(node) },
    },
    {
      type: "Infos.cluster",
      id: "current",
      owner: "cluster.InfoController",
      spec: { clusterId: cluster.id, clusterName: cluster.name },
    },
  ];
}

/** Tells all nodes of the cluster about one of them. */
export function announce(node: SimulatedNode): void {
  const { hostname, address, machineType } = node.identity;
  const { shared } = node.cluster;
  const nodeId = nodeIdOf(node);
  const affiliate = keyOf({ type: "Affiliates.cluster", id: nodeId });
  const member = keyOf({ type: "Members.cluster", id: hostname });
  if (node.faults.has("member-missing")) return shared.remove(member);
  const isPublic = node.faults.has("public-address-first");
  const spec = {
    nodeId,
    addresses: isPublic ? ["203.0.113.7", address] : [address],
    hostname,
    machineType,
    operatingSystem: `${runtimeName} (${runningRelease(node).tag})`,
    ...(machineType === "controlplane" ? { controlPlane: { port: 6443 } } : {}),
  };
  const known = shared.get(member)?.spec;
  if (JSON.stringify(known) === JSON.stringify(spec)) return;
  shared.put(affiliate, {
    owner: "cluster.AffiliateMergeController",
    spec: { ...spec, nodename: hostname },
  });
  shared.put(member, { owner: "cluster.MemberController", spec });
}

function nodeIdOf({ identity }: SimulatedNode): string {
  return identity.uuid.replaceAll("-", "").padEnd(43, "x");
}
