/** The cluster as Kubernetes sees it, and the node in it. */

import { endpointFault, filterHint, isFilter } from "../../rules/checks.ts";
import { nodeRules } from "../../rules/labels.ts";
import { isMasked, parseNetwork } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { int, openText, prefix, string, url } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, list, map, struct } from "../shapes.ts";

/** `KubeClusterConfig`. */
export const kubeCluster: DocumentKind = {
  kind: "KubeClusterConfig",
  summary: "Name and endpoint of the cluster",
  named: false,
  since: "1.14",
  fields: {
    clusterName: field(openText, "Name of the cluster", {
      always: true,
      required: true,
      example: "production",
    }),
    endpoint: field(
      url,
      "URL of the Kubernetes API",
      {
        always: true,
        required: true,
        example: "https://cluster.example.com:6443",
      },
    ),
  },
  examples: [{
    value: {
      clusterName: "production",
      endpoint: "https://cluster.example.com:6443",
    },
  }],
  *rules(document) {
    const given = document.get("endpoint");
    const text = given.text() ?? "";
    const fault = text === "" ? undefined : endpointFault(text);
    if (fault !== undefined) {
      yield given.error(
        `Endpoint "${text}" ${fault}`,
        "Write it as https://HOST:6443, an IPv6 address as https://[fd00::1]:6443",
      );
    }
  },
};

/** `KubeNetworkConfig`. */
export const kubeNetwork: DocumentKind = {
  kind: "KubeNetworkConfig",
  summary: "Pod and service network",
  named: false,
  since: "1.14",
  fields: {
    dnsDomain: field(openText, "Cluster DNS domain", {
      always: true,
      initial: "cluster.local",
      example: "cluster.local",
    }),
    podSubnets: field(
      list(prefix),
      "Pod subnets, at most one per IP family",
      {
        always: true,
        required: true,
        merge: "replace",
        example: ["10.244.0.0/16", "2001:db8:10::/56"],
      },
    ),
    serviceSubnets: field(
      list(prefix),
      "Service subnets, at most one per IP family",
      {
        always: true,
        required: true,
        merge: "replace",
        example: ["10.96.0.0/12", "2001:db8:20::/112"],
      },
    ),
    nodeCIDRMaskSizeIPv4: field(
      int,
      "Prefix length of the pod subnet of a node, IPv4",
      {
        initial: "24",
        example: 24,
      },
    ),
    nodeCIDRMaskSizeIPv6: field(
      int,
      "Prefix length of the pod subnet of a node, IPv6",
      {
        initial: "64",
        example: 64,
      },
    ),
  },
  examples: [{
    value: {
      dnsDomain: "cluster.local",
      podSubnets: ["10.244.0.0/16"],
      serviceSubnets: ["10.96.0.0/12"],
    },
  }],
  rules: networkRules,
};

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

/** Checks one network; `masks` has the lengths of pods' networks on a node. */
function* subnetRules(
  item: Cursor,
  masks: ReadonlyMap<number, number> | undefined,
): Iterable<Problem> {
  const text = item.text() ?? "";
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

/** `KubeNodeConfig`. */
export const kubeNode: DocumentKind = {
  kind: "KubeNodeConfig",
  summary: "Kubernetes node settings",
  named: false,
  since: "1.14",
  fields: {
    skipNodeRegistration: flag("Runs the kubelet without registering the node"),
    registerWithFQDN: flag("Registers the node with its FQDN"),
    nodeIP: field(
      struct({
        validSubnets: field(
          list(openText),
          "Subnets to choose the node IP from; ! excludes one",
          { example: ["10.0.0.0/8", "!10.0.0.3/32"] },
        ),
      }),
      "Node IP settings",
      { always: true },
    ),
    labels: field(map(openText), "Node labels", {
      example: { "example.com/rack": "r1" },
    }),
    annotations: field(map(string), "Node annotations", {
      example: { "example.com/owner": "infrastructure" },
    }),
    taints: field(map(openText), "Node taints, [VALUE:]EFFECT", {
      example: { "example.com/dedicated": "gpu:NoSchedule" },
    }),
  },
  examples: [{
    value: {
      nodeIP: { validSubnets: ["10.0.0.0/8"] },
      labels: { "example.com/rack": "r1" },
      taints: { "example.com/dedicated": "gpu:NoSchedule" },
    },
  }],
  *rules(document) {
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
  },
};
