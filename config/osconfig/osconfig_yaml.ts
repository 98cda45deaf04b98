/** Client configurations with the YAML library: for files that the fast reader declines, and for every write. */

import { isMap, isScalar, Pair, YAMLMap } from "yaml";
import type { ClientContext, Osconfig } from "./osconfig.ts";
import {
  contextFields,
  legacyEndpointField,
  readFields,
} from "./osconfig_fields.ts";
import { changedFields } from "./same_context.ts";
import { fromTree, openYaml, toTree } from "../yaml/yaml_document.ts";
import {
  mapAt,
  setItems,
  setNode,
  setText,
  setTexts,
  textNode,
} from "../yaml/yaml_edit.ts";
import type { YamlTree } from "../yaml/yaml_tree.ts";

type Contexts = Osconfig["contexts"];

const rootFields = ["context", "contexts"];
const noContext: ClientContext = { endpoints: [], nodes: [] };

/** Parses any YAML. Throws `ConfigError` if it is not a single YAML document without duplicate keys. */
export function parseTree(text: string, file: string): YamlTree {
  return toTree(openYaml(text, file));
}

/** Formats a configuration; see `renderOsconfig`. `config`: its `source`, if any, was parsed before. */
export function renderText(config: Osconfig): string {
  const source = openYaml(config.source ?? "", "osconfig");
  const before = readFields(toTree(source), "osconfig");
  if (config.source !== undefined && sameConfig(before, config)) {
    return config.source;
  }
  const { document } = source;
  const root = isMap(document.contents) ? document.contents : new YAMLMap();
  document.contents = root;
  if (before.current !== config.current || !root.has("context")) {
    setText(root, "context", config.current, rootFields);
  }
  writeContexts(mapAt(root, "contexts", rootFields), before, config);
  return document.toString({
    // One-line lists keep their form.
    flowCollectionPadding: false,
    indent: 4,
    lineWidth: 0,
    singleQuote: true,
  });
}

function sameConfig(a: Osconfig, b: Osconfig): boolean {
  return a.current === b.current && a.contexts.size === b.contexts.size &&
    Array.from(a.contexts).every(([name, context]) => {
      const other = b.contexts.get(name);
      return other !== undefined && changedFields(context, other).length === 0;
    });
}

function writeContexts(
  map: YAMLMap,
  before: Osconfig,
  { contexts }: Osconfig,
): void {
  const pairs = new Map(map.items.map((pair) => [readKey(pair), pair]));
  const names = namesInOrder(contexts, before);
  setItems(
    map,
    names.map((name) =>
      pairs.get(name) ?? new Pair(textNode(name), new YAMLMap())
    ),
  );
  for (const pair of map.items) {
    const name = readKey(pair);
    const context = contexts.get(name) ?? noContext;
    writeContext(pair, before.contexts.get(name), context);
  }
}

// Names are sorted; an unsorted file gets new names at its end.
function namesInOrder(contexts: Contexts, before: Osconfig): string[] {
  const kept = [...before.contexts.keys()];
  const sorted = kept.toSorted(compareNames);
  const unsorted = kept.some((name, i) => name !== sorted[i]);
  return unsorted
    ? [...new Set([...kept, ...contexts.keys()])].filter((name) =>
      contexts.has(name)
    )
    : [...contexts.keys()].toSorted(compareNames);
}

function compareNames(a: string, b: string): number {
  const [left, right] = [splitName(a), splitName(b)];
  const at = left.findIndex((part, i) => part !== right[i]);
  if (at < 0) return left.length - right.length;
  const [x, y] = [left[at] ?? "", right[at] ?? ""];
  return Number(x) - Number(y) || (x < y ? -1 : 1);
}

// Digits compare as a number, so that "node-10" comes after "node-2".
function splitName(name: string): string[] {
  return name.match(/[0-9]+|[^0-9]+/g) ?? [];
}

function writeContext(
  pair: Pair,
  before: ClientContext | undefined,
  after: ClientContext,
): void {
  const map = isMap(pair.value) ? pair.value : new YAMLMap();
  const changed = new Set(changedFields(before ?? noContext, after));
  // The endpoints include the legacy one, which is dropped here.
  if (before === undefined || map.has(legacyEndpointField)) {
    changed.add("endpoints");
  }
  if (changed.size === 0) return;
  pair.value = map;
  setNode(map, legacyEndpointField, undefined, contextFields);
  for (const field of changed) writeField(map, field, after);
}

function writeField(map: YAMLMap, field: string, context: ClientContext): void {
  switch (field) {
    case "endpoints":
      return setTexts(map, field, context.endpoints, contextFields);
    case "nodes":
      return context.nodes.length > 0
        ? setTexts(map, field, context.nodes, contextFields)
        : setNode(map, field, undefined, contextFields);
    case "ca":
    case "crt":
    case "key":
    case "cluster":
      return context[field]
        ? setText(map, field, context[field], contextFields)
        : setNode(map, field, undefined, contextFields);
    case "proxy-url":
      return context.proxyUrl
        ? setText(map, field, context.proxyUrl, contextFields)
        : setNode(map, field, undefined, contextFields);
    default: {
      const tree = field === "auth"
        ? context.auth?.tree
        : context.others?.find(({ key }) => key === field)?.value;
      setNode(map, field, tree && fromTree(tree), contextFields);
    }
  }
}

function readKey({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}
