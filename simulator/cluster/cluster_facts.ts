/** What the nodes of a cluster have in common. */

import type { SecretsBundle } from "../../config/generate/secrets.ts";
import type { Authority } from "../../pki/certificate.ts";
import type { EtcdBackend } from "../etcd/etcd.ts";
import type { KubernetesApi } from "../kubernetes/api.ts";
import type { SimulatedNode } from "../node/node.ts";
import type { Release } from "../node/release.ts";
import type { Roles } from "../node/roles.ts";
import type { Resources } from "../resources/resources.ts";

/** A cluster as its nodes see it. */
export interface ClusterFacts {
  /** Name of the cluster. */
  readonly name: string;
  /** Identity of the cluster; 32 bytes in base64. */
  readonly id: string;
  /** Versions of the operating system that its nodes are installed with. */
  readonly release: Release;
  /** Version of Kubernetes, without `v`. */
  readonly kubernetes: string;
  /** Keys, certificates and tokens the nodes have in common. */
  readonly secrets: SecretsBundle;
  /** Authority of the node API; the one in {@linkcode secrets}. */
  readonly authority: Authority;
  /** Resources that are the same on every node: members, types, namespaces. */
  readonly shared: Resources;
  /** What its control planes run as etcd. */
  readonly etcd: ClusterEtcd;
  /** All nodes, control planes first. */
  readonly nodes: readonly SimulatedNode[];
  /** URL of the API server that kubeconfigs of a control plane name, by the control plane's address; absent until it listens. */
  kubernetesUrl?: (address: string) => string | undefined;
  /** Its Kubernetes, past all faults and certificates; absent until there is one. */
  kubernetesApi?: Pick<KubernetesApi, "request">;
  /** Told each call when a node begins to answer it; absent where nobody listens. */
  heard?: (call: HeardCall) => void;
}

/** A call as the node that answers it sees it. */
export interface HeardCall {
  /** The node. */
  readonly node: SimulatedNode;
  /** Name of the method: `Reboot`. */
  readonly method: string;
  /** False for what only asks. */
  readonly mutating: boolean;
  /** Roles of the caller. */
  readonly roles: Roles;
}

/** The etcd of a cluster, and Kubernetes on it. */
export interface ClusterEtcd {
  /** What runs it. */
  readonly backend: EtcdBackend;
  /** True once there was an API of Kubernetes, with which nodes could register. */
  servesKubernetes: boolean;
}
