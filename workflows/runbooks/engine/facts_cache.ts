/** Cache of cluster facts, with their expiry. */

import type { OperationClock } from "../../../lib/clock.ts";
import { listVersions } from "../cluster_facts.ts";
import type { NodeFacts } from "../../runbook_cel/facts.ts";
import type { Facts } from "../read_facts.ts";
import type { RunCluster } from "./run_cluster.ts";

/** Facts of a run. */
export interface FactsCache {
  readonly last: () => Facts;
  /**
   * Facts fit for decisions: not older than {@linkcode freshMs}, and read after the last change.
   *
   * @param about Names of the nodes needed, others may be older; all nodes when absent.
   */
  readonly recent: (about?: Iterable<string>) => Promise<Facts>;
  /**
   * Invalidates facts after a change.
   *
   * @param node Node that was changed; any node when absent. A change of a control plane may change what
   * others report about etcd.
   */
  readonly forget: (node?: string) => void;
}

/** Maximum age of facts for decisions, in milliseconds. */
const freshMs = 15_000;

/** Makes the cache of a run; concurrent reads are shared. */
export function cacheFacts(
  cluster: Pick<RunCluster, "readFacts" | "readAgain">,
  clock: OperationClock,
  first: Facts,
): FactsCache {
  let known = first;
  // When single nodes were read, apart from all the others.
  const readAt = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  let readingAll: Promise<void> | undefined;
  // Nodes that changed during a read: their facts may be older than the change.
  const changedMeanwhile = new Set<Set<string>>();

  async function watchReads<T>(
    read: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly changed: ReadonlySet<string> }> {
    const changed = new Set<string>();
    changedMeanwhile.add(changed);
    try {
      return { value: await read(), changed };
    } finally {
      changedMeanwhile.delete(changed);
    }
  }

  async function readAll(): Promise<void> {
    const started = clock.now();
    try {
      const { value, changed } = await watchReads(cluster.readFacts);
      known = { ...value, readAt: started };
      readAt.clear();
      for (const name of changed) readAt.set(name, -Infinity);
    } finally {
      readingAll = undefined;
    }
  }

  async function readSome(nodes: readonly NodeFacts[]): Promise<void> {
    const started = clock.now();
    try {
      const { value, changed } = await watchReads(() =>
        cluster.readAgain(nodes)
      );
      const byName = new Map(value.map((one) => [one.name, one]));
      const all = known.nodes.map((one) => byName.get(one.name) ?? one);
      const versions = listVersions(all);
      known = { ...known, nodes: all, cluster: { ...known.cluster, versions } };
      for (const { name } of nodes) {
        readAt.set(name, changed.has(name) ? -Infinity : started);
      }
    } finally {
      for (const { name } of nodes) reading.delete(name);
    }
  }

  async function recent(about?: Iterable<string>): Promise<Facts> {
    const since = clock.now() - freshMs;
    // Only a read of all nodes shows joined and removed nodes.
    if (about === undefined && known.readAt < since) {
      await (readingAll ??= readAll());
    }
    const wanted = about === undefined ? undefined : new Set(about);
    await readStale(wanted, since);
    // The read may have started before the last change.
    await readStale(wanted, since);
    return known;
  }

  async function readStale(
    wanted: ReadonlySet<string> | undefined,
    since: number,
  ): Promise<void> {
    const stale = known.nodes.filter(({ name, address }) =>
      (wanted === undefined || wanted.has(name) || wanted.has(address)) &&
      (readAt.get(name) ?? known.readAt) < since
    );
    const rest = stale.filter(({ name }) => !reading.has(name));
    if (rest.length > 0) {
      const one = readSome(rest);
      for (const { name } of rest) reading.set(name, one);
    }
    await Promise.all(stale.map(({ name }) => reading.get(name)));
  }

  function forget(node?: string): void {
    // The change may have made the first node of a new cluster.
    if (known.nodes.length === 0) known = { ...known, readAt: -Infinity };
    const found = known.nodes.find(({ name, address }) =>
      name === node || address === node
    );
    const changed = found?.role === "worker"
      ? [found]
      : found === undefined
      ? known.nodes
      : known.nodes.filter(({ role }) => role === "controlplane");
    for (const { name } of changed) {
      readAt.set(name, -Infinity);
      for (const names of changedMeanwhile) names.add(name);
    }
  }

  return { last: () => known, recent, forget };
}
