/** `machine.features`. */

import { podAccessField } from "../../../dialect.ts";
import { boolean, int, openText, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, flag, list, struct } from "../shapes.ts";

const podAccess: StructShape = struct({
  enabled: flag("Enables access for pods"),
  allowedRoles: field(list(openText), "Roles that pods may request", {
    example: ["os:reader"],
  }),
  allowedKubernetesNamespaces: field(
    list(openText),
    "Namespaces in which pods may have access",
    { example: ["kube-system"] },
  ),
});

const kubePrism: StructShape = struct({
  enabled: flag("Enables KubePrism"),
  port: field(int, "Port on localhost", {
    initial: "7445",
    example: 7445,
  }),
});

const hostDns: StructShape = struct({
  enabled: flag("Enables the host DNS cache"),
  forwardKubeDNSToHost: flag(
    "Makes CoreDNS forward queries to the host DNS cache",
  ),
  resolveMemberNames: flag("Resolves the names of cluster members"),
});

/** Parts of the system that can be switched. */
export const features: StructShape = struct({
  rbac: field(
    boolean,
    "Enables role-based access control (RBAC) in the node API",
    { optional: true, deprecated: "" },
  ),
  stableHostname: {
    ...flag("Generates a stable hostname if none is given"),
    deprecated: "HostnameConfig",
  },
  [podAccessField]: field(podAccess, "Access to the node API from pods", {
    optional: true,
    example: {
      enabled: true,
      allowedRoles: ["os:reader"],
      allowedKubernetesNamespaces: ["kube-system"],
    },
  }),
  apidCheckExtKeyUsage: field(
    boolean,
    "Requires client certificates to have the clientAuth extended key usage",
    { optional: true, deprecated: "" },
  ),
  diskQuotaSupport: flag("Enables disk quotas for pods"),
  kubePrism: field(
    kubePrism,
    "Local load balancer for the API servers (KubePrism), on every node",
    { optional: true, example: { enabled: true, port: 7445 } },
  ),
  hostDNS: field(hostDns, "Caching DNS server on the node", {
    optional: true,
    example: {
      enabled: true,
      forwardKubeDNSToHost: true,
      resolveMemberNames: true,
    },
  }),
  imageCache: field(
    struct({
      localEnabled: flag("Enables the local image cache"),
    }),
    "Cache of images that come with the installation image",
    { optional: true, since: "1.9", example: { localEnabled: true } },
  ),
  nodeAddressSortAlgorithm: field(
    words(["v1", "v2"]),
    "Sort order of the node's addresses",
    { since: "1.9", initial: "v1", example: "v2" },
  ),
});
