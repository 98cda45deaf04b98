/** Kubeconfig content, as far as needed for merging. */

import { openYaml, toTree } from "../yaml/yaml_document.ts";
import type { YamlEntry, YamlTree } from "../yaml/yaml_tree.ts";
import { misread } from "../../lib/text/text_position.ts";

/** Kinds of named entries in a kubeconfig. */
export type KubeconfigPart = "cluster" | "user" | "context";

/** Fields of one entry, by key; values are opaque. */
export type EntryFields = ReadonlyMap<string, YamlTree>;

/** Entries of one kind by name. */
export type Entries = ReadonlyMap<string, EntryFields>;

/** A kubeconfig. */
export interface Kubeconfig {
  readonly cluster: Entries;
  readonly user: Entries;
  readonly context: Entries;
  /** Name of the current context; empty for none. */
  readonly current: string;
}

/** Keys of the lists. */
export const listKeys = {
  cluster: "clusters",
  user: "users",
  context: "contexts",
} as const;

/** An empty kubeconfig. */
export const emptyKubeconfig: Kubeconfig = {
  cluster: new Map(),
  user: new Map(),
  context: new Map(),
  current: "",
};

/**
 * Parses a kubeconfig.
 *
 * @param text YAML or JSON; blank for an empty one.
 * @throws {ConfigError} If it is not YAML, or an entry has no name or a duplicate one.
 */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const root = readFields(toTree(openYaml(text, file)), file, "it");
  const entries = (kind: KubeconfigPart) =>
    readEntries(root.get(listKeys[kind]), kind, file);
  return {
    cluster: entries("cluster"),
    user: entries("user"),
    context: entries("context"),
    current: readText(root.get("current-context")),
  };
}

/** Text of a scalar. Empty for anything else. */
export function readText(tree: YamlTree | undefined): string {
  return tree?.kind === "text" ? tree.value : "";
}

/** Reports whether two values are equal, regardless of quotes. */
function sameValue(a: YamlTree, b: YamlTree): boolean {
  if (a.kind === "map" && b.kind === "map") {
    return sameFields(byKey(a.entries), byKey(b.entries));
  }
  if (a.kind === "list" && b.kind === "list") {
    return a.items.length === b.items.length &&
      a.items.every((item, i) => sameValue(item, b.items[i] ?? nothing));
  }
  return a.kind === b.kind && readText(a) === readText(b);
}

/** Reports whether two entries are equal. */
export function sameFields(a: EntryFields, b: EntryFields): boolean {
  return a.size === b.size && changedKeys(a, b).length === 0;
}

/** Returns the keys that differ: those of the first entry, then those only in the second. */
export function changedKeys(a: EntryFields, b: EntryFields): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((key) => {
    const [before, after] = [a.get(key), b.get(key)];
    return before === undefined || after === undefined ||
      !sameValue(before, after);
  });
}

const nothing: YamlTree = { kind: "null" };

function readEntries(
  list: YamlTree | undefined,
  kind: KubeconfigPart,
  file: string,
): Entries {
  const entries = new Map<string, EntryFields>();
  if (list === undefined || list.kind === "null") return entries;
  const key = listKeys[kind];
  if (list.kind !== "list") {
    throw misread(file, undefined, `"${key}" is not a list`);
  }
  for (const item of list.items) {
    const named = readFields(item, file, `an item of "${key}"`);
    const name = readText(named.get("name"));
    if (name === "") {
      throw misread(file, undefined, `an item of "${key}" has no name`);
    }
    if (entries.has(name)) {
      const fault = `"${key}" contains "${name}" twice`;
      throw misread(file, undefined, fault, "Keep one of them");
    }
    const content = named.get(kind) ?? nothing;
    entries.set(name, readFields(content, file, `${kind} "${name}"`));
  }
  return entries;
}

function readFields(tree: YamlTree, file: string, what: string): EntryFields {
  if (tree.kind === "null") return new Map();
  if (tree.kind === "map") return byKey(tree.entries);
  throw misread(file, undefined, `${what} is not a mapping`);
}

function byKey(entries: readonly YamlEntry[]): EntryFields {
  return new Map(entries.map(({ key, value }) => [key, value]));
}
