/** `machine.features`. */

import { podAccessField } from "../../../dialect.ts";
import { boolean, int, openText, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

const podAccess: StructShape = struct({
  enabled: flag("Pods may have access"),
  allowedRoles: field(list(openText), "Roles that pods may be given", {
    example: ["os:reader"],
  }),
  allowedKubernetesNamespaces: field(
    list(openText),
    "Namespaces whose pods may have access",
    { example: ["kube-system"] },
  ),
});

const kubePrism: StructShape = struct({
  enabled: flag("The balancer runs"),
  port: field(int, "Port on the loopback address", {
    initial: "7445",
    example: 7445,
  }),
});

const hostDns: StructShape = struct({
  enabled: flag("The node caches answers of its DNS servers"),
  forwardKubeDNSToHost: flag("The cluster's DNS server asks the node's cache"),
  resolveMemberNames: flag("Names of cluster members are answered"),
});

/** Parts of the system that can be switched. */
export const features: StructShape = struct({
  rbac: field(
    boolean,
    "Calls to the node are checked against the caller's roles",
    { optional: true, deprecated: "" },
  ),
  stableHostname: {
    ...flag("A node without a name makes one from its identity"),
    deprecated: "HostnameConfig",
  },
  [podAccessField]: field(podAccess, "Access of pods to the node's API", {
    optional: true,
    example: {
      enabled: true,
      allowedRoles: ["os:reader"],
      allowedKubernetesNamespaces: ["kube-system"],
    },
  }),
  apidCheckExtKeyUsage: field(
    boolean,
    "Client certificates must be marked as such",
    { optional: true, deprecated: "" },
  ),
  diskQuotaSupport: flag("Quotas limit what a pod may store on the node"),
  kubePrism: field(
    kubePrism,
    "Balancer in front of the API servers, on every node",
    { optional: true, example: { enabled: true, port: 7445 } },
  ),
  hostDNS: field(hostDns, "DNS server on the node for the node and its pods", {
    optional: true,
    example: {
      enabled: true,
      forwardKubeDNSToHost: true,
      resolveMemberNames: true,
    },
  }),
  imageCache: field(
    struct({
      localEnabled: flag("Images are first looked for on the node's own disk"),
    }),
    "Images that came with the installation medium",
    { optional: true, since: "1.9", example: { localEnabled: true } },
  ),
  nodeAddressSortAlgorithm: field(
    words(["v1", "v2"]),
    "Which order the node's addresses are put in",
    { since: "1.9", initial: "v1", example: "v2" },
  ),
});
