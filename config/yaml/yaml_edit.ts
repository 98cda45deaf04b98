/** Edits mappings of a YAML document, preserving comments and other keys. */

import { isMap, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

// Texts that YAML 1.1 parsers read as another type.
const ambiguous = [
  /^(|~|null|y|n|yes|no|on|off|true|false|<<|=)$/i,
  /^[-+]?(0b[01_]+|0o[0-7_]+|0x[0-9a-f_]+|[0-9][0-9_]*)$/i,
  /^[-+]?(\.[0-9][0-9_]*|[0-9][0-9_]*\.?[0-9_]*)(e[-+]?[0-9]+)?$/i,
  /^([-+]?\.inf|\.nan)$/i,
  /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?$/,
];

/** Creates a scalar that every parser reads as a text. */
export function textNode(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = chooseStyle(text);
  return scalar;
}

/**
 * Sets the items of a collection. An empty one is written as `{}` or `[]`; one that was empty
 * is then written in block style.
 */
export function setItems<T>(
  collection: { items: T[]; flow?: boolean },
  items: T[],
): void {
  if (collection.items.length === 0 || items.length === 0) {
    collection.flow = items.length === 0;
  }
  collection.items = items;
}

/**
 * Sets a node under a key; a new key is placed in the order of the known ones.
 *
 * @param node New node; `undefined` removes the key.
 * @param order Known keys in canonical order; other keys come last.
 */
export function setNode(
  map: YAMLMap,
  key: string,
  node: Scalar | YAMLMap | YAMLSeq | undefined,
  order: readonly string[],
): void {
  const pair = pairAt(map, key);
  if (node === undefined) {
    setItems(map, map.items.filter((item) => item !== pair));
  } else if (pair !== undefined) {
    pair.value = node;
  } else {
    const place = findPlace(map, key, order);
    setItems(map, map.items.toSpliced(place, 0, new Pair(textNode(key), node)));
  }
}

/** Sets a text under a key; a comment beside the old one stays. */
export function setText(
  map: YAMLMap,
  key: string,
  text: string,
  order: readonly string[],
): void {
  const old = nodeAt(map, key);
  if (!isScalar(old)) return setNode(map, key, textNode(text), order);
  old.value = text;
  old.type = chooseStyle(text);
}

/** Sets a list of texts under a key; existing items keep their comments. */
export function setTexts(
  map: YAMLMap,
  key: string,
  texts: readonly string[],
  order: readonly string[],
): void {
  const old = nodeAt(map, key);
  const list = isSeq(old) ? old : new YAMLSeq();
  const items = new Map(
    list.items.map((item) => [isScalar(item) ? item.value : item, item]),
  );
  setItems(list, texts.map((text) => items.get(text) ?? textNode(text)));
  if (list !== old) setNode(map, key, list, order);
}

/** Finds or creates the mapping under a key. */
export function mapAt(
  map: YAMLMap,
  key: string,
  order: readonly string[],
): YAMLMap {
  const old = nodeAt(map, key);
  if (isMap(old)) return old;
  const made = new YAMLMap();
  setNode(map, key, made, order);
  return made;
}

function nodeAt(map: YAMLMap, key: string): unknown {
  return pairAt(map, key)?.value;
}

function pairAt(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function findPlace(
  map: YAMLMap,
  key: string,
  order: readonly string[],
): number {
  const rank = order.indexOf(key);
  if (rank < 0) return map.items.length;
  return 1 + map.items.findLastIndex((pair) => {
    const other = isScalar(pair.key)
      ? order.indexOf(String(pair.key.value))
      : -1;
    return other >= 0 && other < rank;
  });
}

function chooseStyle(text: string): Scalar.Type {
  return ambiguous.some((pattern) => pattern.test(text))
    ? Scalar.QUOTE_DOUBLE
    : Scalar.PLAIN;
}
