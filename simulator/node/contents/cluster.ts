import { decodeBase64 } from "../../../config/osconfig/client_identity.ts";
import { discoveryEndpoint, runtimeName } from "../../../talos.ts";
import type { SimulatedNode } from "../../state/node.ts";
import { findMain } from "../../state/node_configuration.ts";
import type { NodeResources } from "../../resources/resources.ts";
import { runningRelease } from "../../release/release.ts";
import { type NodeResource, resource, toKey } from "./content.ts";
import { nodeAddresses } from "./network.ts";

export function clusterContents(node: SimulatedNode): readonly NodeResource[] {
  const { cluster } = node;
  return [
    resource("Identities.cluster", "local", "cluster.NodeIdentityController", {
      nodeId: formatNodeId(node),
    }),
    resource("Infos.cluster", "current", "cluster.InfoController", {
      clusterId: cluster.id,
      clusterName: cluster.name,
    }),
    ...discoveryContents(node),
  ];
}

/** Discovery settings of a node; empty if they are invalid. */
function discoveryContents(node: SimulatedNode): readonly NodeResource[] {
  const cluster = findMain(node).get("cluster");
  const registries = cluster.get("discovery", "registries");
  const isOn = (registry: string) =>
    discovers(node) && registries.get(registry, "disabled").truth() !== true;
  const common = {
    discoveryEnabled: discovers(node),
    registryKubernetesEnabled: isOn("kubernetes"),
    registryServiceEnabled: isOn("service"),
  };
  const put = (spec: object) => [
    resource(
      "DiscoveryConfigs.cluster",
      "cluster",
      "cluster.ConfigController",
      { ...common, ...spec },
    ),
  ];
  if (!isOn("service")) {
    return put({
      serviceEndpoint: "",
      serviceEncryptionKey: [],
      serviceClusterID: "",
      serviceEndpoints: [],
    });
  }
  const url = URL.parse(
    registries.get("service", "endpoint").text() ?? discoveryEndpoint,
  );
  const key = decodeBase64(cluster.get("secret").text() ?? "");
  if (url === null || key === undefined) return [];
  const isPlain = url.protocol === "http:";
  const endpoint = `${url.hostname}:${url.port || (isPlain ? 80 : 443)}`;
  return put({
    serviceEndpoint: endpoint,
    ...(isPlain ? { serviceEndpointInsecure: true } : {}),
    serviceEncryptionKey: [...key],
    serviceClusterID: cluster.get("id").text() ?? "",
    serviceEndpoints: [{ name: "default", endpoint, insecure: isPlain }],
  });
}

/** Publishes a node as a member to all nodes of the cluster; without discovery to none. */
export function publishMember(node: SimulatedNode): void {
  const { hostname, machineType } = node.identity;
  const { shared } = node.cluster;
  const nodeId = formatNodeId(node);
  const affiliate = toKey({ type: "Affiliates.cluster", id: nodeId });
  const member = toKey({ type: "Members.cluster", id: hostname });
  // A renamed node is listed only under its new name.
  for (const { id, spec } of shared.list(member)) {
    if (Reflect.get(Object(spec), "nodeId") === nodeId && id !== hostname) {
      shared.remove(toKey({ type: "Members.cluster", id }));
    }
  }
  const isLocal = node.faults.has("discovery-down");
  if (isLocal || node.faults.has("member-missing")) shared.remove(member);
  if (!discovers(node)) {
    for (const store of [shared, node.boot.resources]) {
      store.remove(member);
      store.remove(affiliate);
    }
    return;
  }
  const isPublic = node.faults.has("public-address-first");
  const own = nodeAddresses(node).map((prefix) => prefix.split("/")[0] ?? "");
  const spec = {
    nodeId,
    addresses: isPublic ? ["203.0.113.7", ...own] : own,
    hostname,
    machineType,
    operatingSystem: `${runtimeName} (${runningRelease(node).tag})`,
    ...(machineType === "controlplane" ? { controlPlane: { port: 6443 } } : {}),
  };
  if (isLocal) list(node.boot.resources);
  else if (!node.faults.has("member-missing")) list(shared);

  function list(store: NodeResources): void {
    const known = store.get(member)?.spec;
    if (JSON.stringify(known) === JSON.stringify(spec)) return;
    store.put(affiliate, {
      owner: "cluster.AffiliateMergeController",
      spec: { ...spec, nodename: hostname },
    });
    store.put(member, { owner: "cluster.MemberController", spec });
  }
}

function discovers(node: SimulatedNode): boolean {
  const enabled = findMain(node).get("cluster", "discovery", "enabled");
  return enabled.truth() !== false;
}

function formatNodeId({ identity }: SimulatedNode): string {
  return identity.uuid.replaceAll("-", "").padEnd(43, "x");
}
