/** What upgrades and resets of a node need of its etcd. */

/** Hooks of one control plane's etcd. */
export interface EtcdHooks {
  /**
   * Checks whether the others can do without this node for a while.
   *
   * @throws {Error} With the reason, as the node says it.
   */
  readonly checkUpgrade: () => Promise<void>;
  /**
   * Leaves the cluster and removes the data.
   *
   * @throws {Error} When the others do not let it go.
   */
  readonly leave: () => Promise<void>;
  /** Removes the data; the member stays on the others' lists. */
  readonly wipe: () => Promise<void>;
}
