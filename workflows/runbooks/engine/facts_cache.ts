/** What is known of the cluster, and until when it may be relied upon. */

import type { OperationClock } from "../../../lib/clock.ts";
import { listVersions } from "../cluster_facts.ts";
import type { NodeFacts } from "../../runbook_cel/facts.ts";
import type { Facts } from "../read_facts.ts";
import type { RunCluster } from "./run_cluster.ts";

/** Facts of a run. */
export interface FactsCache {
  readonly last: () => Facts;
  /**
   * Facts that may be decided on: not older than {@linkcode freshMs}, and read after what was done last.
   *
   * @param about Names of the nodes it is about, the others may be older; all of them when absent.
   */
  readonly recent: (about?: Iterable<string>) => Promise<Facts>;
  /**
   * Says that something has changed, so that the next question is asked anew.
   *
   * @param node Node that was changed; any of them when absent. Whatever is done to a control plane may change what
   * others say of etcd.
   */
  readonly forget: (node?: string) => void;
}

/** How old facts may be that something is decided on, in milliseconds. */
const freshMs = 15_000;

/** Facts for a run, read once for all who ask at the same time. */
export function cacheFacts(
  cluster: Pick<RunCluster, "readFacts" | "readAgain">,
  clock: OperationClock,
  first: Facts,
): FactsCache {
  let known = first;
  // When each node was read, where that was not with all the others.
  const readAt = new Map<string, number>();
  const reading = new Map<string, Promise<void>>();
  let readingAll: Promise<void> | undefined;
  // Nodes that were changed while they were being read: what was read of them may be older than that.
  const changedMeanwhile = new Set<Set<string>>();

  async function watched<T>(
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
      const { value, changed } = await watched(cluster.readFacts);
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
      const { value, changed } = await watched(() => cluster.readAgain(nodes));
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
    // Who has joined or left is only told when all are read.
    if (about === undefined && known.readAt < since) {
      await (readingAll ??= readAll());
    }
    const wanted = about === undefined ? undefined : new Set(about);
    await readStale(wanted, since);
    // What was waited for may have started before the last change.
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
