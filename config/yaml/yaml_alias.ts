/** Replaces aliases and merge keys by copies. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/** Error while expanding aliases, with its position. */
interface AliasFault {
  readonly fault: string;
  /** Offset in the text, `undefined` if unknown. */
  readonly offset: number | undefined;
}

type YamlNode = Scalar | YAMLMap | YAMLSeq;

interface Expansion {
  readonly anchors: Map<string, YamlNode>;
  readonly sizes: Map<unknown, number>;
  readonly limit: number;
  copied: number;
  fault: AliasFault | undefined;
}

const mergeKey = "<<";

/**
 * Replaces every alias by a copy in place, expands merge keys, and drops anchors.
 *
 * @param document Parsed without errors.
 * @param limit Limit for all copies together, in characters and nodes.
 * @returns The first error: an unknown or circular alias, or copies beyond the limit.
 */
export function expandAliases(
  document: Document,
  limit = 1_000_000,
): AliasFault | undefined {
  const expansion: Expansion = {
    anchors: new Map(),
    sizes: new Map(),
    limit,
    copied: 0,
    fault: undefined,
  };
  document.contents = expand(document.contents, expansion);
  return expansion.fault;
}

// Anchors are registered after their content, so a node cannot contain itself.
function expand(node: unknown, expansion: Expansion): YamlNode {
  if (isAlias(node)) return copyNode(node.source, node.range?.[0], expansion);
  const plain = isMap(node) || isSeq(node) || isScalar(node)
    ? node
    : emptyNode();
  expansion.sizes.set(plain, sizeAfter(plain, expansion));
  if (plain.anchor !== undefined) expansion.anchors.set(plain.anchor, plain);
  delete plain.anchor;
  return plain;
}

function sizeAfter(node: YamlNode, expansion: Expansion): number {
  if (isScalar(node)) return 1 + String(node.value).length;
  let size = 1;
  if (isSeq(node)) {
    node.items = node.items.map((item) => expand(item, expansion));
    for (const item of node.items) size += measureSize(item, expansion);
    return size;
  }
  for (const pair of node.items) {
    pair.key = expand(pair.key, expansion);
    pair.value = expand(pair.value, expansion);
    size += measureSize(pair.key, expansion) +
      measureSize(pair.value, expansion);
  }
  mergeInto(node);
  return size;
}

function measureSize(node: unknown, { sizes }: Expansion): number {
  return sizes.get(node) ?? 0;
}

function copyNode(
  name: string,
  offset: number | undefined,
  expansion: Expansion,
): YamlNode {
  const source = expansion.anchors.get(name);
  if (source === undefined) {
    expansion.fault ??= { fault: `"*${name}" is not defined`, offset };
    return emptyNode();
  }
  const size = measureSize(source, expansion);
  expansion.copied += size;
  if (expansion.copied > expansion.limit) {
    expansion.fault ??= {
      fault: "its aliases expand to too many values",
      offset,
    };
    return emptyNode();
  }
  // The declared type of `clone` is too wide.
  const copy = source.clone() as YamlNode;
  expansion.sizes.set(copy, size);
  return copy;
}

function mergeInto(map: YAMLMap): void {
  const merges = map.items.filter(({ key }) => isMergeKey(key));
  if (merges.length === 0) return;
  map.items = map.items.filter(({ key }) => !isMergeKey(key));
  const present = new Set(map.items.map(({ key }) => readText(key)));
  const sources = merges.flatMap(({ value }) =>
    isSeq(value) ? value.items : [value]
  );
  for (const source of sources) {
    if (!isMap(source)) continue;
    for (const pair of source.items) {
      if (present.has(readText(pair.key))) continue;
      present.add(readText(pair.key));
      map.items.push(pair);
    }
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.value === mergeKey;
}

function readText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function emptyNode(): Scalar {
  const scalar = new Scalar("");
  scalar.type = Scalar.PLAIN;
  return scalar;
}
