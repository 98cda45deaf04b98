/** Interface of provisioners of local clusters. */

import type { ClusterLocation, LocalCluster, LocalNode } from "./state.ts";

/** Names of provisioners: simulated nodes, containers, virtual machines. */
export const provisionerNames = ["embedded", "docker", "qemu"] as const;

/** One of {@linkcode provisionerNames}. */
export type ProvisionerName = (typeof provisionerNames)[number];

/** Power actions for a node. */
export const powerActions = ["on", "off", "cycle"] as const;

/** One of {@linkcode powerActions}. */
export type PowerAction = (typeof powerActions)[number];

/** Client access to a cluster. */
export interface ClusterAccess {
  /** `host:port` of every control plane; `host` alone for the default port. */
  readonly endpoints: readonly string[];
  /** Address of every node, control planes first. */
  readonly nodes: readonly string[];
  readonly ca: string;
  /** Admin client certificate, PEM. */
  readonly crt: string;
  readonly key: string;
}

/** Progress reporting of a provisioner. */
export interface Progress {
  /**
   * Runs a phase, and reports its name and duration when finished: `creating network lab`. The work can
   * report its progress, shown next to the name.
   */
  readonly phase: <T>(
    name: string,
    work: (say: (text: string) => void) => Promise<T>,
  ) => Promise<T>;
  readonly warn: (text: string) => void;
  /** Reports the result for a node: `started`. */
  readonly node: (name: string, what: string) => void;
}

/** Options for starting a cluster. */
export interface StartOptions {
  /** Timeout for all nodes to be ready, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Options for creating a cluster. */
export interface CreateOptions extends StartOptions {
  /** Path of the client configuration for the cluster's context. */
  readonly osconfig: string;
  readonly progress: Progress;
  /** Completes the creation once the nodes are started. Until it finishes, the cluster is unfinished and locked. */
  readonly bringUp: (access: ClusterAccess) => Promise<void>;
}

interface DestroyOptions {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Current status of a cluster. */
export interface ClusterStatus {
  readonly cluster: LocalCluster;
  /** True if its nodes run, except those that are off. */
  readonly running: boolean;
  /** Addresses of nodes that are powered off. */
  readonly off: readonly string[];
}

/** Provisioner of local clusters. `Spec`: its cluster specification. */
export interface Provisioner<Spec = never> {
  /**
   * Creates a cluster. The state file is written first, so that an interrupted creation can be resumed or destroyed.
   *
   * @throws {ConfigError} If the cluster already exists.
   * @throws {LockedError} If another process is creating or destroying it.
   */
  create(
    place: ClusterLocation,
    spec: Spec,
    options: CreateOptions,
  ): Promise<ClusterAccess>;
  /** Starts the nodes of an existing cluster, except those that are off. Returns the control plane endpoints. */
  start(
    place: ClusterLocation,
    options: StartOptions,
  ): Promise<readonly string[]>;
  /** Returns the status of a cluster; `undefined` if it does not exist. */
  show(place: ClusterLocation): Promise<ClusterStatus | undefined>;
  /** Removes all resources of a cluster, and its folder last. */
  destroy(place: ClusterLocation, options: DestroyOptions): Promise<void>;
  /** Reads the available console output of a node, oldest first. */
  logs(
    place: ClusterLocation,
    node: LocalNode,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** Switches the power of nodes, and waits until it is switched, but not for the boot. */
  power(
    place: ClusterLocation,
    change: {
      readonly action: PowerAction;
      readonly nodes: readonly LocalNode[];
    },
    signal: AbortSignal,
  ): Promise<void>;
  /** Returns the CA certificate of a cluster, PEM, which identifies its contexts; `undefined` if it has none. */
  ca(place: ClusterLocation): Promise<string | undefined>;
}
