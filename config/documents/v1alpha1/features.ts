/** `machine.features`. */

import { podAccessField } from "../../../dialect.ts";
import { boolean, int, openText, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const podAccess: StructShape = struct({
  enabled: flag("Pods may have access"),
  allowedRoles: {
    shape: list(openText),
    summary: "Roles that pods may be given",
    examples: [{ value: ["os:reader"] }],
  },
  allowedKubernetesNamespaces: {
    shape: list(openText),
    summary: "Namespaces whose pods may have access",
    examples: [{ value: ["kube-system"] }],
  },
});

const kubePrism: StructShape = struct({
  enabled: flag("The balancer runs"),
  port: {
    shape: int,
    summary: "Port on the loopback address",
    initial: "7445",
    examples: [{ value: 7445 }],
  },
});

const hostDns: StructShape = struct({
  enabled: flag("The node caches answers of its DNS servers"),
  forwardKubeDNSToHost: flag("The cluster's DNS server asks the node's cache"),
  resolveMemberNames: flag("Names of cluster members are answered"),
});

/** Parts of the system that can be switched. */
export const features: StructShape = struct({
  rbac: {
    shape: boolean,
    optional: true,
    summary: "Calls to the node are checked against the caller's roles",
    deprecated: "",
  },
  stableHostname: {
    ...flag("A node without a name makes one from its identity"),
    deprecated: "HostnameConfig",
  },
  [podAccessField]: {
    shape: podAccess,
    optional: true,
    summary: "Access of pods to the node's API",
    examples: [{
      value: {
        enabled: true,
        allowedRoles: ["os:reader"],
        allowedKubernetesNamespaces: ["kube-system"],
      },
    }],
  },
  apidCheckExtKeyUsage: {
    shape: boolean,
    optional: true,
    summary: "Client certificates must be marked as such",
    deprecated: "",
  },
  diskQuotaSupport: flag("Quotas limit what a pod may store on the node"),
  kubePrism: {
    shape: kubePrism,
    optional: true,
    summary: "Balancer in front of the API servers, on every node",
    examples: [{ value: { enabled: true, port: 7445 } }],
  },
  hostDNS: {
    shape: hostDns,
    optional: true,
    summary: "DNS server on the node for the node and its pods",
    examples: [{
      value: {
        enabled: true,
        forwardKubeDNSToHost: true,
        resolveMemberNames: true,
      },
    }],
  },
  imageCache: {
    shape: struct({
      localEnabled: flag("Images are first looked for on the node's own disk"),
    }),
    optional: true,
    since: "1.9",
    summary: "Images that came with the installation medium",
    examples: [{ value: { localEnabled: true } }],
  },
  nodeAddressSortAlgorithm: {
    shape: words(["v1", "v2"]),
    since: "1.9",
    summary: "Which order the node's addresses are put in",
    initial: "v1",
    examples: [{ value: "v2" }],
  },
});
