/** What a provisioner of local clusters is: each makes machines its own way, and all do the same with them. */

import type { ClusterLocation, LocalCluster, LocalNode } from "./state.ts";

/** What local clusters can be made of: simulated nodes, containers, virtual machines. */
export const provisionerNames = ["embedded", "docker", "qemu"] as const;

/** One of {@linkcode provisionerNames}. */
export type ProvisionerName = (typeof provisionerNames)[number];

/** What can be done with the power of a node. */
export const powerActions = ["on", "off", "cycle"] as const;

/** One of {@linkcode powerActions}. */
export type PowerAction = (typeof powerActions)[number];

/** What a client needs to reach a cluster. */
export interface ClusterAccess {
  /** `host:port` of every control plane; `host` alone where the port is the usual one. */
  readonly endpoints: readonly string[];
  /** Address of every node, control planes first. */
  readonly nodes: readonly string[];
  readonly ca: string;
  /** Client certificate with all rights, PEM. */
  readonly crt: string;
  readonly key: string;
}

/** Where a provisioner says what it does. */
export interface Progress {
  /**
   * Does one phase of the work, and reports its name and its time when it is done: `creating network lab`. The work may
   * say how far it is, which is shown beside the name meanwhile.
   */
  readonly phase: <T>(
    name: string,
    work: (say: (text: string) => void) => Promise<T>,
  ) => Promise<T>;
  /** Warns of what is not in the way now, but may be later. */
  readonly warn: (text: string) => void;
  /** Reports what became of a node: `started`. */
  readonly node: (name: string, what: string) => void;
}

/** How a cluster is started. */
export interface StartOptions {
  /** Longest wait until every node is ready, in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** How a cluster is created. */
export interface CreateOptions extends StartOptions {
  /** Path of the client configuration that will get the cluster's context. */
  readonly osconfig: string;
  readonly progress: Progress;
  /**
   * Does what is left to do once the nodes are started. Until it is done the cluster is unfinished, and no other
   * process creates or destroys it.
   */
  readonly bringUp: (access: ClusterAccess) => Promise<void>;
}

interface DestroyOptions {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** A cluster as it is now. */
export interface ClusterStatus {
  readonly cluster: LocalCluster;
  /** True when its nodes run, except those that are off. */
  readonly running: boolean;
  /** Addresses of the nodes that are switched off. */
  readonly off: readonly string[];
}

/** Makes local clusters. `Spec`: what it makes them from. */
export interface Provisioner<Spec = never> {
  /**
   * Creates a cluster. The state file is there from the start, so that whatever was made until an interruption is
   * destroyed, or continued, later.
   *
   * @throws {ConfigError} If there is a cluster of this name.
   * @throws {LockedError} If another process creates or destroys it.
   */
  create(
    place: ClusterLocation,
    spec: Spec,
    options: CreateOptions,
  ): Promise<ClusterAccess>;
  /** Starts the nodes of a cluster again, except those that are off. Returns the endpoints of its control planes. */
  start(
    place: ClusterLocation,
    options: StartOptions,
  ): Promise<readonly string[]>;
  /** Finds a cluster as it is now. Returns `undefined` when there is none. */
  show(place: ClusterLocation): Promise<ClusterStatus | undefined>;
  /** Removes all that was made for a cluster, whatever of it is left, and its folder last. */
  destroy(place: ClusterLocation, options: DestroyOptions): Promise<void>;
  /** Reads the console of a node, oldest output first, as far as it is kept. */
  logs(
    place: ClusterLocation,
    node: LocalNode,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  /** Switches the power of nodes, and waits until it is switched, not until they have booted. */
  power(
    place: ClusterLocation,
    change: {
      readonly action: PowerAction;
      readonly nodes: readonly LocalNode[];
    },
    signal: AbortSignal,
  ): Promise<void>;
  /** Finds the certificate of a cluster's CA, PEM, by which its contexts are known; `undefined` when it has none. */
  ca(place: ClusterLocation): Promise<string | undefined>;
}
