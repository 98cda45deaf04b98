/** Bringing what a cluster gives its administrators into a kubeconfig. */

import { freeName, numberedNames } from "../osconfig/merge.ts";
import { certificateText } from "../osconfig/same_context.ts";
import type { YamlTree } from "../yaml/yaml_tree.ts";
import {
  changedKeys,
  type Entries,
  type EntryFields,
  type Kubeconfig,
  type KubeconfigPart,
  readText,
  sameFields,
} from "./content.ts";

/** What to do when something else has the name. */
export type NamePolicy = "rename" | "overwrite";

interface NameConflict {
  readonly kind: KubeconfigPart;
  readonly name: string;
}

/** How to merge. */
export interface KubeconfigMergeOptions {
  /** What to do on a conflict, or whom to ask. */
  readonly onConflict:
    | NamePolicy
    | ((conflict: NameConflict) => NamePolicy | Promise<NamePolicy>);
  /** Name of the context, instead of the one it comes with. */
  readonly contextName?: string | undefined;
  /** Whether the context becomes the current one. */
  readonly setCurrent: boolean;
}

/** What happened to one entry. */
export interface KubeconfigChange {
  readonly kind: KubeconfigPart;
  /** What happened: the name was free, it was of the same cluster, it was another's, it was another's and stays. */
  readonly action: "added" | "updated" | "overwritten" | "renamed";
  readonly name: string;
  /** Name it came with; only of what was renamed. */
  readonly from?: string;
}

/** A merged kubeconfig. */
export interface MergedKubeconfig {
  readonly config: Kubeconfig;
  /** What changed; what was there already is omitted. */
  readonly changes: readonly KubeconfigChange[];
  /** Name of the context that was merged. */
  readonly context: string;
}

interface ArrivingPart {
  readonly kind: KubeconfigPart;
  readonly from: string;
  readonly name: string;
  readonly fields: EntryFields;
  readonly entries: Entries;
  /** Reports whether what has a name is of the same cluster. */
  readonly isKin: (name: string) => boolean;
  /** What becomes of one that is. */
  readonly updated: (present: EntryFields) => EntryFields;
}

interface Placement {
  readonly name: string;
  readonly fields: EntryFields;
  readonly action?: KubeconfigChange["action"];
}

type Names = ReadonlyMap<string, string>;

/**
 * Merges clusters, users and contexts, in this order. What is there already changes nothing; what
 * is of the same cluster, by its CA, is updated in place; on a conflict of names the policy
 * decides. A user of a renamed cluster is renamed with it, and so is its context. Merging the same
 * again changes nothing, also when it was renamed the first time.
 */
export async function mergeKubeconfig(
  target: Kubeconfig,
  incoming: Kubeconfig,
  options: KubeconfigMergeOptions,
): Promise<MergedKubeconfig> {
  const changes: KubeconfigChange[] = [];

  async function placeAll(
    kind: KubeconfigPart,
    arrivalOf: (
      from: string,
      fields: EntryFields,
    ) => Omit<ArrivingPart, "kind" | "from" | "entries">,
  ): Promise<{ readonly entries: Entries; readonly names: Names }> {
    const entries = new Map(target[kind]);
    const names = new Map<string, string>();
    // One after the other, since the user is asked and names depend on each other.
    for (const [from, fields] of incoming[kind]) {
      const arrival = { kind, from, entries, ...arrivalOf(from, fields) };
      const { name, fields: placed, action } = await place(arrival, options);
      entries.set(name, placed);
      names.set(from, name);
      if (action === undefined) continue;
      const renamed = action === "renamed" ? { from: arrival.name } : {};
      changes.push({ kind, action, name, ...renamed });
    }
    return { entries, names };
  }

  const clusters = await placeAll("cluster", (name, fields) => ({
    name,
    fields,
    isKin: (other) => sameServer(target.cluster.get(other), fields),
    updated: (present) => new Map([...present, ...fields]),
  }));
  const users = await placeAll("user", (from, fields) => ({
    name: substituted(from, clusters.names),
    fields,
    isKin: (other) => hasUser(other, listClusters(from), target),
    // Credentials belong together.
    updated: () => fields,
  }));
  const contexts = await placeAll("context", (from, fields) => {
    const leading = {
      cluster: renamedText(fields.get("cluster"), clusters.names),
      user: renamedText(fields.get("user"), users.names),
    };
    return {
      name: nameOfContext(from),
      fields: new Map([...fields, ...Object.entries(leading)]),
      isKin: (other) =>
        readText(target.context.get(other)?.get("cluster")) ===
          readText(leading.cluster),
      // The namespace is the user's own choice.
      updated: (present) => new Map([...present, ...Object.entries(leading)]),
    };
  });

  function listClusters(user: string): ReadonlySet<string> {
    const used = [...incoming.context.values()]
      .filter((context) => readText(context.get("user")) === user)
      .map((context) => readText(context.get("cluster")));
    return new Set(used.map((name) => clusters.names.get(name) ?? name));
  }

  function nameOfContext(from: string): string {
    const isNamed = from === incoming.current || incoming.context.size === 1;
    return isNamed && options.contextName !== undefined
      ? options.contextName
      : substituted(from, users.names);
  }

  const context = contexts.names.get(incoming.current) ??
    [...contexts.names.values()][0] ?? "";
  return {
    changes,
    context,
    config: {
      cluster: clusters.entries,
      user: users.entries,
      context: contexts.entries,
      current: options.setCurrent || target.current === ""
        ? context
        : target.current,
    },
  };
}

async function place(
  arrival: ArrivingPart,
  { onConflict }: KubeconfigMergeOptions,
): Promise<Placement> {
  const { kind, name, fields, entries, isKin, updated } = arrival;
  if (!entries.has(name)) return { name, fields, action: "added" };
  // A plain overwrite is about this name only.
  const candidates = onConflict === "overwrite"
    ? [name]
    : [name, ...numberedNames(name, entries)];
  for (const other of candidates) {
    const present = entries.get(other);
    if (present !== undefined && sameFields(present, fields)) {
      return { name: other, fields: present };
    }
  }
  for (const other of candidates) {
    const present = entries.get(other);
    if (present === undefined || !isKin(other)) continue;
    const after = updated(present);
    return changedKeys(present, after).length === 0
      ? { name: other, fields: present }
      : { name: other, fields: after, action: "updated" };
  }
  const policy = typeof onConflict === "function"
    ? await onConflict({ kind, name })
    : onConflict;
  return policy === "overwrite"
    ? { name, fields, action: "overwritten" }
    : { name: freeName(name, entries), fields, action: "renamed" };
}

/** Clusters are the same when they have the same CA; without one the address has to do. */
function sameServer(a: EntryFields | undefined, b: EntryFields): boolean {
  if (a === undefined) return false;
  const [ours, theirs] = [readCa(a), readCa(b)];
  if (ours !== "" || theirs !== "") return ours === theirs;
  return readText(a.get("server")) === readText(b.get("server"));
}

function readCa(cluster: EntryFields): string {
  return certificateText(readText(cluster.get("certificate-authority-data")));
}

/** A user is of a cluster when everything that uses it leads there. */
function hasUser(
  user: string,
  clusters: ReadonlySet<string>,
  { context }: Kubeconfig,
): boolean {
  const used = [...context.values()]
    .filter((fields) => readText(fields.get("user")) === user)
    .map((fields) => readText(fields.get("cluster")));
  return used.length > 0 && used.every((name) => clusters.has(name));
}

/** A name that follows the one it is made of: `admin@old` becomes `admin@new`. */
function substituted(name: string, names: Names): string {
  for (const [from, to] of names) {
    if (name === from) return to;
    if (name.endsWith(`@${from}`)) {
      return `${name.slice(0, -from.length)}${to}`;
    }
  }
  return name;
}

function renamedText(tree: YamlTree | undefined, names: Names): YamlTree {
  const name = readText(tree);
  const renamed = names.get(name);
  if (tree?.kind !== "text" || renamed === undefined || renamed === name) {
    return tree ?? { kind: "null" };
  }
  return { ...tree, value: renamed };
}
