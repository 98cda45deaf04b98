/** Kubernetes cluster settings, and those of the node in it. */

import { endpointFault, filterHint, isFilter } from "../../rules/checks.ts";
import { nodeRules } from "../../rules/labels.ts";
import { isMasked } from "../checks.ts";
import { parseNetwork } from "../../../lib/ip.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const kubeCluster = documentKind(kubeClusterRules)`
KubeClusterConfig | since 1.14 | Name and endpoint of the cluster
  = {"clusterName": "production", "endpoint": "https://cluster.example.com:6443"}
  clusterName | text, always, required | Name of the cluster | "production"
  endpoint    | url, always, required | URL of the Kubernetes API | "https://cluster.example.com:6443"
`;

function* kubeClusterRules(document: Cursor): Iterable<Problem> {
  const given = document.get("endpoint");
  const text = given.text() ?? "";
  const fault = text === "" ? undefined : endpointFault(text);
  if (fault !== undefined) {
    yield given.error(
      `Endpoint "${text}" ${fault}`,
      "Write it as https://HOST:6443, an IPv6 address as https://[fd00::1]:6443",
    );
  }
}

export const kubeNetwork = documentKind(networkRules)`
KubeNetworkConfig | since 1.14 | Pod and service network
  = {"dnsDomain": "cluster.local", "podSubnets": ["10.244.0.0/16"], "serviceSubnets": ["10.96.0.0/12"]}
  dnsDomain            | text, always, default cluster.local | Cluster DNS domain | "cluster.local"
  podSubnets           | list(prefix), always, required, replace | Pod subnets, at most one per IP family
    = ["10.244.0.0/16", "2001:db8:10::/56"]
  serviceSubnets       | list(prefix), always, required, replace | Service subnets, at most one per IP family
    = ["10.96.0.0/12", "2001:db8:20::/112"]
  nodeCIDRMaskSizeIPv4 | int, default 24 | Prefix length of the pod subnet of a node, IPv4 | 24
  nodeCIDRMaskSizeIPv6 | int, default 64 | Prefix length of the pod subnet of a node, IPv6 | 64
`;

function* networkRules(document: Cursor): Iterable<Problem> {
  const masks = new Map<number, number>();
  for (const [family, usual, most] of [[4, 24, 32], [6, 64, 128]] as const) {
    const given = document.get(`nodeCIDRMaskSizeIPv${family}`);
    const size = given.number() || usual;
    if (size < 1 || size > most) {
      yield given.error(
        `Prefix length ${size} does not exist`,
        `Give a number from 1 to ${most}`,
      );
    } else masks.set(family, size);
  }
  const lists = ["podSubnets", "serviceSubnets"].map((key) =>
    document.get(key)
  );
  for (const [index, subnets] of lists.entries()) {
    const families = subnets.items().map((item) =>
      parseNetwork(item.text() ?? "")?.family
    );
    if (new Set(families).size < families.length) {
      yield subnets.error(
        "There is more than one subnet per IP family",
        "Give at most one for IPv4 and one for IPv6",
      );
    }
    for (const item of subnets.items()) {
      yield* subnetRules(item, index === 0 ? masks : undefined);
    }
  }
  const [pods, services] = lists;
  const counts = lists.map((subnets) => subnets.items().length);
  if (services !== undefined && counts[0] !== counts[1] && pods?.node) {
    yield services.error(
      `There are ${counts[0]} pod subnets, but ${counts[1]} service subnets`,
      "Give a pod and a service subnet for each IP family",
    );
  }
}

/** Checks one network; `masks` are the prefix lengths of the pod networks of nodes. */
function* subnetRules(
  item: Cursor,
  masks: ReadonlyMap<number, number> | undefined,
): Iterable<Problem> {
  const text = item.text() ?? "";
  if (text === "") {
    yield item.error("This network is empty", "Give a network, or remove it");
  }
  const network = parseNetwork(text);
  if (network === undefined) return;
  const { bits, family } = network;
  const most = family === 4 ? 32 : 128;
  const mask = masks?.get(family);
  if (!isMasked(text)) {
    yield item.error(
      `Network "${text}" has host bits set`,
      "Use the network address",
    );
  } else if (most - bits < 4) {
    yield item.error(
      `Network "${text}" is too small`,
      `Give one of /${most - 4} or shorter`,
    );
  } else if (masks === undefined && most - bits > 20) {
    yield item.error(
      `Network "${text}" is too large`,
      `Give one of /${most - 20} or longer`,
    );
  } else if (mask !== undefined && (bits > mask || mask - bits > 16)) {
    yield item.error(
      `Network "${text}" cannot be split into a /${mask} for each node`,
      `Give one from /${Math.max(mask - 16, 0)} to /${mask}`,
    );
  }
}

export const kubeNode = documentKind(kubeNodeRules)`
KubeNodeConfig | since 1.14 | Kubernetes node settings
  = {"nodeIP": {"validSubnets": ["10.0.0.0/8"]}, "labels": {"example.com/rack": "r1"},
    "taints": {"example.com/dedicated": "gpu:NoSchedule"}}
  skipNodeRegistration | boolean, optional, default false | Runs the kubelet without registering the node
  registerWithFQDN     | boolean, optional, default false | Registers the node with its FQDN
  nodeIP               | struct, always | Node IP settings
    validSubnets       | list(text) | Subnets to choose the node IP from; ! excludes one
      = ["10.0.0.0/8", "!10.0.0.3/32"]
  labels               | map(text) | Node labels | {"example.com/rack": "r1"}
  annotations          | map(string) | Node annotations | {"example.com/owner": "infrastructure"}
  taints               | map(text) | Node taints, [VALUE:]EFFECT | {"example.com/dedicated": "gpu:NoSchedule"}
`;

function* kubeNodeRules(document: Cursor): Iterable<Problem> {
  for (const item of document.get("nodeIP", "validSubnets").items()) {
    if (isFilter(item.text() ?? "")) continue;
    yield item.error(
      `Node IP subnet "${item.text()}" is not valid`,
      filterHint,
    );
  }
  yield* nodeRules({
    labels: document.get("labels"),
    annotations: document.get("annotations"),
    taints: document.get("taints"),
  });
}
