/** Formats kubeconfigs; unchanged parts stay as written, including comments. */

import { isMap, isScalar, isSeq, Pair, YAMLMap, YAMLSeq } from "yaml";
import { fromTree, openYaml } from "../yaml/yaml_document.ts";
import {
  mapAt,
  setItems,
  setNode,
  setText,
  textNode,
} from "../yaml/yaml_edit.ts";
import {
  changedKeys,
  type Entries,
  type EntryFields,
  type Kubeconfig,
  type KubeconfigPart,
  listKeys,
  parseKubeconfig,
  readText,
  sameFields,
} from "./content.ts";

const rootKeys = [
  "apiVersion",
  "kind",
  "preferences",
  "clusters",
  "users",
  "contexts",
  "current-context",
];

/**
 * Formats a kubeconfig.
 *
 * @param source Original text; blank for none.
 * @returns The source itself if its content is equal.
 * @throws {ConfigError} If the source is not a kubeconfig.
 */
export function renderKubeconfig(
  source: string,
  file: string,
  config: Kubeconfig,
): string {
  const before = parseKubeconfig(source, file);
  const { document } = openYaml(source, file);
  const root = isMap(document.contents) ? document.contents : new YAMLMap();
  document.contents = root;
  let changed = false;
  for (const kind of ["cluster", "user", "context"] as const) {
    if (sameEntries(before[kind], config[kind])) continue;
    changed = true;
    writeEntries(
      listAt(root, listKeys[kind]),
      kind,
      before[kind],
      config[kind],
    );
  }
  if (before.current !== config.current) {
    changed = true;
    setText(root, "current-context", config.current, rootKeys);
  }
  if (!changed) return source;
  if (!root.has("apiVersion")) setText(root, "apiVersion", "v1", rootKeys);
  if (!root.has("kind")) setText(root, "kind", "Config", rootKeys);
  return document.toString({ lineWidth: 0, ...detectIndent(source) });
}

function sameEntries(a: Entries, b: Entries): boolean {
  return a.size === b.size && [...a].every(([name, fields]) => {
    const other = b.get(name);
    return other !== undefined && sameFields(fields, other);
  });
}

/** Lists are indented in some files and not in others, but consistently within a file. */
function detectIndent(source: string) {
  const spaces = /^(?:clusters|users|contexts):[^\n]*\n( *)- /m.exec(source)
    ?.[1]?.length ?? 0;
  return spaces === 0
    ? { indentSeq: false, indent: 2 }
    : { indentSeq: true, indent: spaces };
}

function listAt(root: YAMLMap, key: string): YAMLSeq {
  const old = root.items.find((pair) =>
    isScalar(pair.key) && pair.key.value === key
  )?.value;
  if (isSeq(old)) return old;
  const made = new YAMLSeq();
  setNode(root, key, made, rootKeys);
  return made;
}

function writeEntries(
  list: YAMLSeq,
  kind: KubeconfigPart,
  before: Entries,
  after: Entries,
): void {
  const kept = list.items.filter(isMap).filter((item) =>
    after.has(readName(item))
  );
  const names = new Set(kept.map(readName));
  const added = [...after.keys()].filter((name) => !names.has(name));
  setItems<unknown>(list, [
    ...kept,
    ...added.map((name) => toItem(kind, name)),
  ]);
  for (const item of list.items.filter(isMap)) {
    const name = readName(item);
    const content = mapAt(item, kind, []);
    writeFields(
      content,
      before.get(name) ?? new Map(),
      after.get(name) ?? new Map(),
    );
  }
}

function readName(item: YAMLMap): string {
  const name = item.get("name");
  return typeof name === "string" ? name : "";
}

/** A new item, with keys in the usual order. */
function toItem(kind: KubeconfigPart, name: string): YAMLMap {
  const item = new YAMLMap();
  const pairs = [
    new Pair(textNode(kind), new YAMLMap()),
    new Pair(textNode("name"), textNode(name)),
  ];
  setItems<Pair>(item, kind === "user" ? pairs.toReversed() : pairs);
  return item;
}

function writeFields(
  map: YAMLMap,
  before: EntryFields,
  after: EntryFields,
): void {
  for (const key of changedKeys(before, after)) {
    const value = after.get(key);
    if (value?.kind === "text" && before.get(key)?.kind === "text") {
      setText(map, key, readText(value), []);
    } else {
      setNode(map, key, value && fromTree(value), []);
    }
  }
}
