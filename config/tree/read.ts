/** Parses YAML into trees: one pass over the events of `js-yaml`, with comments from the gaps between them. */

import { type Event, EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import { syntaxError } from "./syntax_fault.ts";
import { misread } from "../../lib/text/text_position.ts";
import { checkSize, tooMuch, valueLimit } from "./size_limit.ts";
import {
  type Collection,
  type CommentReader,
  makeCommentReader,
  type Owner,
} from "./comment_reader.ts";
import {
  type ConfigNode,
  isNull,
  type ListItem,
  type ListNode,
  type MapEntry,
  type MapNode,
  type Place,
} from "./node.ts";

/** One document of a file. */
export interface ReadDocument {
  /** Its value; never null. */
  readonly root: ConfigNode;
  /** Position in the file, from 1, including empty documents. */
  readonly number: number;
}

interface YamlFile {
  readonly documents: readonly ReadDocument[];
  /** Positions of empty documents, from 1. */
  readonly empty: readonly number[];
}

interface TreeReader {
  readonly mergeKeys: boolean;
  readonly text: string;
  readonly file: string;
  readonly events: readonly Event[];
  next: number;
  readonly comments: CommentReader;
  readonly anchors: Map<string, Anchored>;
  /** Number of values in the tree, counting each expansion of an alias. */
  size: number;
  /** Number of values from aliases. */
  copied: number;
}

interface Anchored {
  readonly node: ConfigNode;
  readonly size: number;
}

type Mutable<T> = { -readonly [MapKey in keyof T]: T[MapKey] };

// An alias costs a few bytes, but each expansion is walked again.
const copiedLimit = 100_000;
const textTag = "!!str";
const valueTags = new Set(["!!int", "!!float", "!!bool", "!!null"]);
const neutralTags = new Set([...valueTags, textTag, "!!map", "!!seq", "!"]);

/**
 * Parses any number of documents. Without `mergeKeys`, `<<` and custom tags are errors.
 *
 * @param given YAML 1.2, including JSON.
 * @throws {ConfigError} With line and column, if it is not YAML, or has a duplicate key, exploding
 * aliases, more than 100 levels of nesting, or more than 500,000 values.
 */
export function readDocuments(
  given: string,
  file: string,
  { mergeKeys = true }: { readonly mergeKeys?: boolean } = {},
): YamlFile {
  checkSize(given, file);
  // Normalized line breaks, for line numbers and the ends of comments.
  const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
  const events = decodeEvents(text, file);
  const reader: TreeReader = {
    mergeKeys,
    text,
    file,
    events,
    next: 0,
    comments: makeCommentReader(text, file),
    anchors: new Map(),
    size: 0,
    copied: 0,
  };
  const documents: ReadDocument[] = [];
  const empty: number[] = [];
  let number = 0;
  while (reader.next < events.length) {
    number++;
    const root = readRoot(reader);
    if (isNull(root)) empty.push(number);
    else documents.push({ root, number });
  }
  reader.comments.finish(text.length);
  return { documents, empty };
}

function decodeEvents(text: string, file: string): readonly Event[] {
  try {
    const events = parseEvents(text, {});
    if (valuesIn(events) > valueLimit) throw tooMuch(file);
    return events;
  } catch (error) {
    throw syntaxError(error, { text, file });
  }
}

function valuesIn(events: readonly Event[]): number {
  let count = 0;
  for (const { type } of events) {
    if (type !== EVENT_ID.POP && type !== EVENT_ID.DOCUMENT) count++;
  }
  return count;
}

function readRoot(reader: TreeReader): ConfigNode {
  const event = take(reader);
  if (event.type === EVENT_ID.DOCUMENT && event.explicitStart) {
    reader.comments.document();
  }
  reader.anchors.clear();
  const holder: Owner = {};
  const root = readValue(reader, holder, false);
  take(reader);
  return root;
}

function take(reader: TreeReader): Event {
  const event = reader.events[reader.next++];
  if (event === undefined) throw new TypeError("The YAML events end too early");
  return event;
}

function readValue(
  reader: TreeReader,
  holder: Owner,
  startsHere: boolean,
): ConfigNode {
  const event = take(reader);
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return readScalar(reader, event, holder);
    case EVENT_ID.ALIAS:
      return readAlias(reader, event, holder);
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE: {
      const before = reader.size++;
      if (startsHere) reader.comments.token(event.start, event.start, holder);
      const isMap = event.type === EVENT_ID.MAPPING;
      checkTag(reader, event, isMap ? "!!map" : "!!seq");
      const at = reader.comments.findPlace(event.start);
      const flow = event.style === 2;
      const read = isMap ? readMap : readList;
      const node = read(reader, at, { flow, holder });
      remember(reader, event, { node, size: reader.size - before });
      return node;
    }
    default:
      throw new TypeError(`An event of type ${event.type} is not a value`);
  }
}

interface CollectionOptions {
  readonly flow: boolean;
  readonly holder: Owner;
}

function readMap(
  reader: TreeReader,
  at: Place,
  { flow, holder }: CollectionOptions,
): ConfigNode {
  const entries: MapEntry[] = [];
  const merged: ConfigNode[] = [];
  const keys = new Set<string>();
  const node: MapNode & Collection & { merged?: Place } = {
    kind: "map",
    entries,
    at,
  };
  while (peek(reader) !== EVENT_ID.POP) {
    const { key, keyAt, entry, isMerge } = readKey(reader);
    const value = readValue(reader, entry, false);
    if (isMerge) {
      merged.push(...mergeSources(reader, value, keyAt));
      node.merged = keyAt;
      continue;
    }
    if (keys.has(key)) throw twice(reader, key, keyAt);
    keys.add(key);
    entries.push(Object.assign(entry, { key, at: keyAt, value }));
  }
  take(reader);
  for (const source of merged) {
    if (source.kind !== "map") continue;
    for (const entry of source.entries) {
      if (keys.has(entry.key)) continue;
      keys.add(entry.key);
      entries.push(entry);
    }
  }
  reader.comments.close(node, { column: at.column, flow, holder });
  return node;
}

interface MapKey {
  readonly key: string;
  readonly keyAt: Place;
  readonly entry: Mutable<Partial<MapEntry>> & Owner;
  readonly isMerge: boolean;
}

function readKey(reader: TreeReader): MapKey {
  const event = take(reader);
  const entry: Owner = {};
  if (event.type !== EVENT_ID.SCALAR) {
    const at = reader.comments.findPlace(
      event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE
        ? event.start
        : reader.comments.end,
    );
    throw misread(reader.file, at, "a key is not a string");
  }
  const scalar = readScalar(reader, event, entry);
  return {
    key: scalar.text,
    keyAt: scalar.at,
    entry,
    isMerge: scalar.text === "<<" && scalar.plain,
  };
}

function mergeSources(
  reader: TreeReader,
  value: ConfigNode,
  at: Place,
): readonly ConfigNode[] {
  if (!reader.mergeKeys) {
    throw misread(
      reader.file,
      at,
      '"<<" (merge keys) is not supported here',
      "Write the keys out, or use an alias for the whole value",
    );
  }
  const sources = value.kind === "list"
    ? value.items.map((item) => item.value)
    : [value];
  if (sources.some(({ kind }) => kind !== "map")) {
    throw misread(
      reader.file,
      at,
      '"<<" is not followed by a mapping',
    );
  }
  return sources;
}

function readList(
  reader: TreeReader,
  at: Place,
  { flow, holder }: CollectionOptions,
): ConfigNode {
  const items: ListItem[] = [];
  const node: ListNode & Collection = { kind: "list", items, at };
  while (peek(reader) !== EVENT_ID.POP) {
    const item: Owner = {};
    const value = readValue(reader, item, true);
    items.push(Object.assign(item, { value }));
  }
  take(reader);
  reader.comments.close(node, { column: at.column, flow, holder });
  return node;
}

function peek(reader: TreeReader): number | undefined {
  return reader.events[reader.next]?.type;
}

type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;

function readScalar(reader: TreeReader, event: ScalarEvent, holder: Owner) {
  reader.size++;
  const { valueStart, valueEnd } = event;
  const quoted = event.style === 2 || event.style === 3 ? 1 : 0;
  if (valueStart >= 0) {
    reader.comments.token(valueStart - quoted, valueEnd + quoted, holder);
  } else reader.comments.nothing(holder);
  const tag = checkTag(reader, event, undefined);
  // Nodes add no line break at the end of a file.
  const isCut = event.style > 3 && valueEnd === reader.text.length &&
    /\S[^\n]*$/.test(reader.text.slice(valueStart));
  const text = getScalarValue(reader.text, event)
    .replace(isCut ? /\n$/ : "", "");
  const node = {
    kind: "scalar" as const,
    text,
    plain: tag === undefined
      ? event.style === 1
      : tag !== textTag && valueTags.has(tag),
    at: reader.comments.findPlace(
      valueStart < 0 ? reader.comments.end : valueStart - quoted,
    ),
  };
  remember(reader, event, { node, size: 1 });
  return node;
}

function checkTag(
  { text, file, comments, mergeKeys }: TreeReader,
  { tagStart, tagEnd }: Pick<ScalarEvent, "tagStart" | "tagEnd">,
  collection: string | undefined,
): string | undefined {
  if (tagStart < 0) return undefined;
  const tag = text.slice(tagStart, tagEnd)
    .replace(/^!<tag:yaml\.org,2002:(.*)>$/, "!!$1");
  const right = collection === undefined
    ? neutralTags.has(tag) && tag !== "!!map" && tag !== "!!seq"
    : tag === collection || tag === "!";
  if (right) return tag === "!" ? textTag : tag;
  // On nodes, a custom tag turns a scalar into a text, and has no other effect.
  if (mergeKeys && /^![\w-]+$/.test(tag)) {
    return collection === undefined ? textTag : undefined;
  }
  throw misread(
    file,
    comments.findPlace(tagStart),
    `the tag ${tag} is not supported here`,
    "Remove the tag",
  );
}

interface Anchors {
  readonly anchorStart: number;
  readonly anchorEnd: number;
}

function remember(
  reader: TreeReader,
  { anchorStart, anchorEnd }: Anchors,
  anchored: Anchored,
): void {
  if (anchorStart < 0) return;
  reader.anchors.set(reader.text.slice(anchorStart, anchorEnd), anchored);
}

function readAlias(
  reader: TreeReader,
  { anchorStart, anchorEnd }: Anchors,
  holder: Owner,
): ConfigNode {
  reader.comments.token(anchorStart - 1, anchorEnd, holder);
  const name = reader.text.slice(anchorStart, anchorEnd);
  const anchored = reader.anchors.get(name);
  const at = reader.comments.findPlace(anchorStart - 1);
  if (anchored === undefined) {
    throw misread(
      reader.file,
      at,
      `the alias *${name} is not defined`,
      `Put &${name} before the value it refers to`,
    );
  }
  reader.size += anchored.size;
  reader.copied += anchored.size;
  if (reader.copied > copiedLimit) {
    throw misread(reader.file, at, "its aliases expand to too many values");
  }
  return anchored.node;
}

function twice({ file }: TreeReader, key: string, at: Place) {
  return misread(
    file,
    at,
    `"${key}" appears twice in one mapping`,
    "Keep one of them",
  );
}
