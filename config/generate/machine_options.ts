/** What a machine configuration is made from. */

import type { ConfigDocument } from "../documents/load.ts";
import type { Contract } from "./contract.ts";
import type { SecretsBundle } from "./secrets.ts";

/** What a node does in its cluster; `init` is a control plane that starts the cluster by itself. */
export type MachineRole = "init" | "controlplane" | "worker";

/** URLs of mirrors by the host of the registry they stand for. */
export type RegistryMirrors = ReadonlyMap<string, readonly string[]>;

/** What the configurations of a cluster have in common. */
export interface ClusterSpec {
  /** Name of the cluster. */
  readonly clusterName: string;
  /** URL at which nodes and users reach the API servers, as `parseEndpoint` takes it. */
  readonly endpoint: string;
  /** Version of the operating system that has to understand the configurations. */
  readonly contract: Contract;
  /** Keys, certificates and tokens; those of a control plane. */
  readonly secrets: SecretsBundle;
  /** Kubernetes, without `v`; empty for none, so that the node chooses images. Default `defaultKubernetes`. */
  readonly kubernetesVersion?: string;
  /** Device the system is installed on; empty for none. Default `/dev/sda`. */
  readonly installDisk?: string;
  /** Image of the installer; empty for none. Default `defaultImages.installer`. */
  readonly installImage?: string;
  /** Names and addresses that certificates get beside those of the nodes. Default none. */
  readonly sans?: readonly string[];
  /** Domain of services in the cluster. Default `cluster.local`. */
  readonly dnsDomain?: string;
  /** Whether nodes keep the configuration on disk. Default true. */
  readonly persist?: boolean;
  /** Whether members find each other through the discovery service. Default true. */
  readonly discovery?: boolean;
  /** Whether the nodes' traffic goes through KubeSpan. Default false. */
  readonly kubespan?: boolean;
  /** Default none. */
  readonly registryMirrors?: RegistryMirrors;
  /** Documents that follow those that are made. Default none. */
  readonly documents?: readonly ConfigDocument[];
}
