/** Removes a destroyed cluster from a kubeconfig. */

import { certificateText } from "../osconfig/same_context.ts";
import { type Entries, type Kubeconfig, readText } from "./content.ts";

interface DroppedCluster {
  /** Name of the cluster and of its entries, which may have a number appended. */
  readonly name: string;
  readonly server: string;
}

interface TrimmedKubeconfig {
  /** The result. If the current context was one of the cluster, it is unset: no other is selected for the user. */
  readonly config: Kubeconfig;
  /** Names of the removed contexts. */
  readonly contexts: readonly string[];
}

/**
 * Removes everything of a cluster: entries by name and URL, those with the same CA, and those that refer only to them.
 */
export function dropCluster(
  config: Kubeconfig,
  { name, server }: DroppedCluster,
): TrimmedKubeconfig {
  const readField = (kind: "cluster" | "context", entry: string, key: string) =>
    readText(config[kind].get(entry)?.get(key));
  const findCa = (entry: string) =>
    certificateText(readField("cluster", entry, "certificate-authority-data"));
  const own = [...config.cluster.keys()].filter((entry) =>
    isNumbered(entry, name) && readField("cluster", entry, "server") === server
  );
  const authorities = new Set(own.map(findCa).filter((ca) => ca !== ""));
  const clusters = new Set([
    ...own,
    ...[...config.cluster.keys()].filter((entry) =>
      authorities.has(findCa(entry))
    ),
  ]);
  const [gone, kept] = partition(
    [...config.context.keys()],
    (entry) => clusters.has(readField("context", entry, "cluster")),
  );
  const findUser = (entry: string) => readField("context", entry, "user");
  const inUse = new Set(kept.map(findUser));
  const users = new Set(gone.map(findUser).filter((user) => !inUse.has(user)));
  return {
    contexts: gone,
    config: {
      cluster: without(config.cluster, clusters),
      user: without(config.user, users),
      context: without(config.context, new Set(gone)),
      current: gone.includes(config.current) ? "" : config.current,
    },
  };
}

/** Reports whether a name is equal to another one, optionally with a number. */
export function isNumbered(name: string, plain: string): boolean {
  return name === plain ||
    name.startsWith(`${plain}-`) &&
      /^\d+$/.test(name.slice(plain.length + 1));
}

function partition<T>(
  all: readonly T[],
  isFirst: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function without(entries: Entries, names: ReadonlySet<string>): Entries {
  return new Map([...entries].filter(([name]) => !names.has(name)));
}
