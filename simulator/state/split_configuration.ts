/** Configurations of v1.14, which moved most Kubernetes and installation settings out of the main document. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { type ConfigDocument, mainKind } from "../../config/documents/load.ts";
import { encodeFile } from "../../config/generate/secrets.ts";
import { mergeRoots } from "../../config/patches/merge.ts";
import {
  type ConfigNode,
  type MapNode,
  toTree,
} from "../../config/tree/node.ts";

/** Kinds, their keys, and the paths in the main document up to v1.13. */
const moved: readonly (readonly [kind: string, key: string, place: string])[] =
  [
    ["KubeAPIServerConfig", "certExtraSANs", "cluster.apiServer.certSANs"],
    ["KubeAPIServerConfig", "image", "cluster.apiServer.image"],
    ["KubeClusterConfig", "clusterName", "cluster.clusterName"],
    ["KubeClusterConfig", "endpoint", "cluster.controlPlane.endpoint"],
    ["KubeControllerManagerConfig", "image", "cluster.controllerManager.image"],
    ["KubeNetworkConfig", "dnsDomain", "cluster.network.dnsDomain"],
    ["KubeProxyConfig", "image", "cluster.proxy.image"],
    ["KubeSchedulerConfig", "image", "cluster.scheduler.image"],
    ["KubeNodeConfig", "annotations", "machine.nodeAnnotations"],
    ["KubeNodeConfig", "labels", "machine.nodeLabels"],
    ["KubeNodeConfig", "taints", "machine.nodeTaints"],
    ["KubeletConfig", "clusterDNS", "machine.kubelet.clusterDNS"],
    ["KubeletConfig", "config", "machine.kubelet.extraConfig"],
    ["KubeletConfig", "extraArgs", "machine.kubelet.extraArgs"],
    ["KubeletConfig", "image", "machine.kubelet.image"],
    [
      "ResolverConfig",
      "searchDomains.domains",
      "machine.network.searchDomains",
    ],
    ["SysctlConfig", "params", "machine.sysctls"],
    ["SysfsConfig", "params", "machine.sysfs"],
    ["TimeSyncConfig", "ntp.servers", "machine.time.servers"],
    ["UnattendedInstallConfig", "installer.image", "machine.install.image"],
  ];

/**
 * Root of the main document, merged with the settings of other documents at their paths up to v1.13: a single source
 * for reads. An empty map if there is no main document.
 */
export function joinedMain(documents: readonly ConfigDocument[]): MapNode {
  const root = documents.find(({ kind }) => kind === mainKind)?.root;
  const main: MapNode = root?.kind === "map"
    ? root
    : { kind: "map", entries: [] };
  const of = (kind: string): Cursor | undefined => {
    const own = documents.find((document) => document.kind === kind);
    return own && toCursor(own.root);
  };
  const values = moved.flatMap(([kind, key, place]) => {
    const value = of(kind)?.get(...key.split(".")).node;
    return value === undefined ? [] : [nest(place.split("."), value)];
  });
  const cluster = {
    ...readCa("ca", "acceptedCAs", of("KubeAPIServerCAConfig")),
    ...readCa("aggregatorCA", undefined, of("KubeAggregatorCAConfig")),
    ...readSigner(of("KubeServiceAccountConfig")),
  };
  const all = Object.keys(cluster).length === 0
    ? values
    : [...values, nest(["cluster"], toTree(cluster))];
  return all.reduce<MapNode>((merged, value) => {
    const next = mergeRoots(merged, value, undefined).root;
    return next.kind === "map" ? next : merged;
  }, main);
}

function nest(
  [key = "", ...rest]: readonly string[],
  value: ConfigNode,
): MapNode {
  const own = rest.length === 0 ? value : nest(rest, value);
  return { kind: "map", entries: [{ key, value: own }] };
}

/** Reads a CA and other accepted CAs in the format of the main document: base64 of PEM. */
function readCa(
  issuing: string,
  accepted: string | undefined,
  document: Cursor | undefined,
) {
  if (document === undefined) return {};
  const pem = (place: Cursor) => encodeFile(place.text() ?? "");
  const pair = document.get("issuingCA");
  const others = document.get("acceptedCAs").items();
  return {
    ...(pair.node === undefined ? {} : {
      [issuing]: { crt: pem(pair.get("cert")), key: pem(pair.get("key")) },
    }),
    ...(accepted === undefined || others.length === 0 ? {} : {
      [accepted]: others.map((item) => ({ crt: pem(item) })),
    }),
  };
}

function readSigner(document: Cursor | undefined) {
  const key = document?.get("issuer", "privateKey").text();
  return key === undefined ? {} : { serviceAccount: { key: encodeFile(key) } };
}
