/** Merges the kubeconfig of a cluster into that of the user. */

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

/** Conflict policy for names. */
export type NamePolicy = "rename" | "overwrite";

interface NameConflict {
  readonly kind: KubeconfigPart;
  readonly name: string;
}

/** Merge options. */
export interface KubeconfigMergeOptions {
  /** Policy on a conflict, or a function that asks the user. */
  readonly onConflict:
    | NamePolicy
    | ((conflict: NameConflict) => NamePolicy | Promise<NamePolicy>);
  /** Name of the context, instead of the original one. */
  readonly contextName?: string | undefined;
  /** True to make the context current. */
  readonly setCurrent: boolean;
}

/** Change of one entry. */
export interface KubeconfigChange {
  readonly kind: KubeconfigPart;
  /**
   * `added`: new name; `updated`: same cluster; `overwritten` or `renamed`: name of another cluster, replaced or kept.
   */
  readonly action: "added" | "updated" | "overwritten" | "renamed";
  readonly name: string;
  /** Original name of a renamed entry. */
  readonly from?: string;
}

/** A merged kubeconfig. */
export interface MergedKubeconfig {
  readonly config: Kubeconfig;
  /** Changes; existing equal entries are omitted. */
  readonly changes: readonly KubeconfigChange[];
  readonly context: string;
}

interface ArrivingPart {
  readonly kind: KubeconfigPart;
  readonly from: string;
  readonly name: string;
  readonly fields: EntryFields;
  readonly entries: Entries;
  /** Reports whether an existing entry is of the same cluster. */
  readonly isKin: (name: string) => boolean;
  /** Returns the updated entry of the same cluster. */
  readonly updated: (present: EntryFields) => EntryFields;
}

interface Placement {
  readonly name: string;
  readonly fields: EntryFields;
  readonly action?: KubeconfigChange["action"];
}

type Names = ReadonlyMap<string, string>;

/**
 * Merges clusters, users and contexts, in this order. Equal entries stay; entries of the same cluster, by
 * CA, are updated in place; on a name conflict the policy decides. The user and the context of a renamed cluster
 * are renamed too. Idempotent, also after a rename.
 */
export async function mergeKubeconfig(
  target: Kubeconfig,
  incoming: Kubeconfig,
  options: KubeconfigMergeOptions,
): Promise<MergedKubeconfig> {
  const changes: KubeconfigChange[] = [];

  async function placeAll(
    kind: KubeconfigPart,
    findArrival: (
      from: string,
      fields: EntryFields,
    ) => Omit<ArrivingPart, "kind" | "from" | "entries">,
  ): Promise<{ readonly entries: Entries; readonly names: Names }> {
    const entries = new Map(target[kind]);
    const names = new Map<string, string>();
    // In sequence, since the user is asked and names depend on each other.
    for (const [from, fields] of incoming[kind]) {
      const arrival = { kind, from, entries, ...findArrival(from, fields) };
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
    name: substitute(from, clusters.names),
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
      // The namespace is the user's choice.
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
      : substitute(from, users.names);
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
  // A plain overwrite applies to this name only.
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

/** Clusters are equal if they have the same CA; without one, the same address. */
function sameServer(a: EntryFields | undefined, b: EntryFields): boolean {
  if (a === undefined) return false;
  const [ours, theirs] = [readCa(a), readCa(b)];
  if (ours !== "" || theirs !== "") return ours === theirs;
  return readText(a.get("server")) === readText(b.get("server"));
}

function readCa(cluster: EntryFields): string {
  return certificateText(readText(cluster.get("certificate-authority-data")));
}

/** A user belongs to a cluster if all contexts with it do. */
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

/** A name derived from another one: `admin@old` becomes `admin@new`. */
function substitute(name: string, names: Names): string {
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
