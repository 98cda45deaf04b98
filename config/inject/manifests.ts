/** Streams of Kubernetes manifests: documents, and changes to lists in them. */

import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { ConfigError } from "../../errors.ts";
import { expandAliases } from "../yaml/yaml_alias.ts";
import { countMarks, unlessTooDeep } from "../yaml/yaml_document.ts";
import { setItems, textNode } from "../yaml/yaml_edit.ts";
import { misread } from "../../lib/text/text_position.ts";

/** Keys and indexes of a value. */
export type ManifestPath = readonly (string | number)[];

export type ManifestValue = string | readonly ManifestValue[] | {
  readonly [key: string]: ManifestValue;
};

/** Items to remove from a list, and items to append. */
export interface ListChange {
  readonly path: ManifestPath;
  /** Key of the list; it may be missing or empty. */
  readonly key: string;
  /** Indexes of the items to remove. */
  readonly remove: ReadonlySet<number>;
  readonly append: readonly ManifestValue[];
}

/** One document of a stream. */
export interface Manifest {
  /** Full text, including markers and comments. */
  readonly text: string;
  /** Value, with aliases and merge keys resolved. */
  readonly value: unknown;
  /** File name for messages. */
  readonly file: string;
  readonly number: number;
  /** First line in the stream, from 1. */
  readonly line: number;
}

// Documents are parsed one at a time: one limit is for memory, the other for time.
const markLimit = 300_000;
const totalMarkLimit = 1_000_000;
/** Limit for all expanded aliases together, in characters and nodes. */
const copyLimit = 200_000;
const startMark = /^---(?=\s|$)/;
const contentFree = /^(?:[ \t]*(?:#.*)?\r?\n|%.*\n)*/;
// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/**
 * Parses the documents of a stream.
 *
 * @param stream YAML documents, including JSON.
 * @throws {ConfigError} If one is invalid YAML, too large or has a duplicate key; with its position.
 */
export function readManifests(stream: string, file: string): Manifest[] {
  if (countMarks(stream) > totalMarkLimit) {
    throw new ConfigError(
      `Cannot read "${file}": it has too many keys and items`,
      { hint: "Split the file" },
    );
  }
  let line = 1;
  return sections(stream).map((text, i) => {
    const manifest = { text, file, number: i + 1, line, value: undefined };
    line += text.split("\n").length - 1;
    return { ...manifest, value: parseManifest(manifest) };
  });
}

/** A marker at the start of a line always ends a document, so no parser is needed. */
function sections(stream: string): string[] {
  const texts: string[] = [];
  let head = "";
  for (const part of stream.split(/^(?=---\s|---$)|(?<=^\.\.\.(?:\s.*)?\n)/m)) {
    head += part;
    // Comments and directives belong to the following document.
    if (contentFree.exec(part)?.[0] === part) continue;
    texts.push(head);
    head = "";
  }
  return head === "" ? texts : [...texts, head];
}

/** Position of a value, `line 14 (document 2)`; behind an alias, the line of the document. */
export function formatPlace(manifest: Manifest, path: ManifestPath): string {
  const { contents } = decodeManifest(manifest.text, "failsafe");
  const node = isCollection(contents) ? contents.getIn(path, true) : contents;
  const range = (node as Node | undefined)?.range ?? contents?.range;
  const { line } = toPosition(manifest, range?.[0] ?? 0);
  return `line ${line} (document ${manifest.number})`;
}

function toPosition({ text, line }: Manifest, offset: number) {
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line: line + before.length - 1, column };
}

/** Error for a document that cannot be read or changed. */
function unreadable(
  manifest: Manifest,
  fault: string,
  offset = 0,
  hint?: string,
): ConfigError {
  const text = `${fault} (document ${manifest.number})`;
  return misread(manifest.file, toPosition(manifest, offset), text, hint);
}

/** `core` resolves numbers, booleans and null; `failsafe` keeps scalars as written. */
function decodeManifest(text: string, schema: "core" | "failsafe"): Document {
  return parseDocument(text, {
    schema,
    // Tags such as `!!binary` and `!!set` have no meaning in manifests.
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: "error",
    // The check of the library takes quadratic time.
    uniqueKeys: false,
  });
}

function parseManifest(manifest: Manifest): unknown {
  const { text } = manifest;
  if (countMarks(text) > markLimit) {
    throw unreadable(manifest, "it has too many keys and items");
  }
  const odd = text.search(control);
  if (odd >= 0) throw unreadable(manifest, "it has a control character", odd);
  const document = unlessTooDeep(() => decodeManifest(text, "core"));
  const [error] = document?.errors ?? [];
  if (document === undefined || error?.code === "RESOURCE_EXHAUSTION") {
    throw unreadable(manifest, "it is nested too deeply", error?.pos[0]);
  }
  if (error !== undefined) {
    const tab = error.code === "TAB_AS_INDENT";
    const hint = tab ? "Indent with spaces" : undefined;
    const fault = `not YAML: ${error.message}`;
    throw unreadable(manifest, fault, error.pos[0], hint);
  }
  const fault = /\*|<</.test(text) && expandAliases(document, copyLimit);
  if (fault) throw unreadable(manifest, fault.fault, fault.offset);
  visit(document, { Map: (_, map) => checkKeys(map, manifest) });
  return document.toJS();
}

function checkKeys(map: YAMLMap, manifest: Manifest): void {
  const keys = new Set<string>();
  for (const { key } of map.items) {
    const offset = (key as Node).range?.[0] ?? map.range?.[0];
    if (!isScalar(key)) {
      throw unreadable(manifest, "a key is not a string", offset);
    }
    const name = String(key.value);
    if (keys.has(name)) {
      const fault = `"${name}" appears twice in one mapping`;
      throw unreadable(manifest, fault, offset, "Keep one of them");
    }
    keys.add(name);
  }
}

/**
 * Changes lists in a document. Comments, key order and all other values stay; JSON stays JSON.
 *
 * The result is parsed again and compared with the expected value; if aliases and merge keys cause
 * a difference, they are replaced by copies.
 *
 * @param changes In order; none removes an item on the path of another.
 * @returns The text, and whether aliases were replaced by copies.
 * @throws {ConfigError} If a change is impossible.
 */
export function changeLists(
  manifest: Manifest,
  changes: readonly ListChange[],
): readonly [text: string, expanded: boolean] {
  const goal = structuredClone(manifest.value);
  for (const change of changes) changeValue(goal, change);
  const eol = findLineEnd(manifest.text);
  const json = changedJson(manifest.text, changes)?.replaceAll("\n", eol);
  if (json !== undefined) return [json, false];
  const source = manifest.text.replaceAll("\r\n", "\n");
  for (const expanded of [false, true]) {
    const document = decodeManifest(source, "failsafe");
    if (expanded) expandAliases(document, copyLimit);
    for (const change of changes) changeNode(document, change);
    try {
      const text = document.toString(detectLayout(source, document));
      const value = parseManifest({ ...manifest, text });
      if (isDeepStrictEqual(value, goal)) {
        return [text.replaceAll("\n", eol), expanded];
      }
    } catch {
      // An alias of something that was removed cannot be written.
    }
  }
  throw unreadable(
    manifest,
    "cannot add the keys",
    decodeManifest(manifest.text, "failsafe").contents?.range?.[0],
    "Write it without anchors, tags and question marks for keys",
  );
}

function changeValue(
  root: unknown,
  { path, key, remove, append }: ListChange,
): void {
  let map = root as Record<string | number, unknown>;
  for (const step of path) map = map[step] as typeof map;
  const items = Array.isArray(map[key]) ? map[key] : [];
  map[key] = [...items.filter((_, i) => !remove.has(i)), ...append];
}

export function findLineEnd(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** Undefined behind aliases and merge keys: their targets may be changed anyway. */
function changeNode(
  document: Document,
  { path, key, remove, append }: ListChange,
): void {
  const map = document.getIn(path, true);
  if (!isMap(map)) return;
  const added = append.map(toNode);
  const old = map.get(key, true);
  if (isSeq(old)) {
    return setItems(old, withComments([...old.items, ...added], remove));
  }
  // The tag of a scalar would be wrong for a list.
  if (old !== undefined && (!isScalar(old) || old.tag !== undefined)) return;
  const list = Object.assign(new YAMLSeq(), { items: added });
  if (old?.comment) list.commentBefore = old.comment;
  map.set(key, list);
}

/** Comments of removed items move to the next item. */
function withComments(items: unknown[], remove: ReadonlySet<number>) {
  let comments: string[] = [];
  return items.filter((item, i) => {
    const node = item as Node;
    if (remove.has(i)) {
      visit(node, {
        Node(_, { commentBefore, comment }) {
          comments.push(...[commentBefore ?? [], comment ?? []].flat());
        },
      });
    } else if (comments.length > 0) {
      node.commentBefore = [...comments, node.commentBefore ?? []].flat()
        .join("\n");
      comments = [];
    }
    return !remove.has(i);
  });
}

function toNode(value: ManifestValue): Scalar | YAMLMap | YAMLSeq {
  if (typeof value === "string") return textNode(value);
  if (Array.isArray(value)) {
    return Object.assign(new YAMLSeq(), { items: value.map(toNode) });
  }
  const map = new YAMLMap();
  for (const [key, one] of Object.entries(value)) {
    map.set(textNode(key), toNode(one));
  }
  return map;
}

function changedJson(
  text: string,
  changes: readonly ListChange[],
): string | undefined {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  function reviveNumber(_: string, value: unknown, at?: { source: string }) {
    return typeof value === "number" ? rawJSON(at?.source ?? "") : value;
  }
  try {
    const value: unknown = JSON.parse(text, reviveNumber);
    for (const change of changes) changeValue(value, change);
    const indent = /^\s*\{\s*\n([ \t]*)/.exec(text)?.[1] ?? "";
    return `${JSON.stringify(value, undefined, indent)}\n`;
  } catch {
    return undefined;
  }
}

function detectLayout(text: string, document: Document) {
  let indent: number | undefined;
  let indentSeq: boolean | undefined;
  const column = (node: unknown) => {
    const at = (node as Node).range?.[0] ?? 0;
    return at - text.lastIndexOf("\n", at - 1);
  };
  visit(document, {
    Map(_, map) {
      if (map.flow || !map.range) return;
      for (const { value } of map.items) {
        if (!isCollection(value) || value.flow || !value.range) continue;
        const by = column(value) - column(map);
        if (isSeq(value)) indentSeq ??= by > 0;
        else if (by > 0) indent ??= by;
      }
    },
  });
  return {
    indent: indent ?? 2,
    indentSeq: indentSeq ?? true,
    lineWidth: 0,
    flowCollectionPadding: /[{[] /.test(text),
  };
}

/** Formats a separate document, indented like another one. */
export function documentText(like: Manifest, value: ManifestValue): string {
  const document = decodeManifest(like.text, "failsafe");
  const layout = detectLayout(like.text, document);
  document.contents = toNode(value);
  document.commentBefore = null;
  document.comment = null;
  return document.toString({ ...layout, directives: false })
    .replaceAll("\n", findLineEnd(like.text));
}

/**
 * Joins a stream. Empty documents are omitted; their comments stay.
 *
 * @param texts For each manifest, its text and those of the documents that follow it.
 * @returns Text with one line end at its end; empty if nothing is left.
 */
export function joinManifests(
  manifests: readonly Manifest[],
  texts: readonly (readonly string[])[],
  eol: string,
): string {
  const pieces: string[] = [];
  function push(text: string): void {
    pieces.push(separator(pieces.at(-1), text, eol) + withLineEnd(text, eol));
  }
  let comments = "";
  for (const [i, [text = "", ...added]] of texts.entries()) {
    if (manifests[i]?.value === null) {
      const found = text.match(/(?<=^|\s)#[^\r\n]*/gm) ?? [];
      comments += found.map((comment) => comment + eol).join("");
      continue;
    }
    // Comments of an omitted document move below the marker of the next one.
    const mark = /^---[ \t]*(#.*)?\r?\n/.exec(text)?.[0] ?? "";
    push(mark === "" ? text : mark + comments + text.slice(mark.length));
    if (mark !== "") comments = "";
    for (const document of added) push(`---${eol}${document}`);
  }
  // Trailing empty lines may belong to a block scalar.
  const last = pieces.at(-1) ?? "";
  if (!/[|>][0-9]*\+/.test(last)) {
    let end = last.length;
    while (end > 0 && " \t\r\n".includes(last.charAt(end - 1))) end--;
    pieces.splice(-1, 1, withLineEnd(last.slice(0, end), eol));
  }
  return pieces.join("") + comments;
}

function withLineEnd(text: string, eol: string): string {
  return text === "" || text.endsWith("\n") ? text : text + eol;
}

function separator(
  before: string | undefined,
  text: string,
  eol: string,
): string {
  if (before === undefined || /^\.\.\.[^\n]*\n?$/m.test(before)) return "";
  const head = contentFree.exec(text)?.[0] ?? "";
  // Directives need an end marker before them, not a start marker.
  if (/^%/m.test(head)) return `...${eol}`;
  return startMark.test(text.slice(head.length)) ? "" : `---${eol}`;
}
