/** Documentation and examples as comments of configurations. */

import {
  childOf,
  type ConfigNode,
  type MapEntry,
  type MapNode,
  treeOf,
  withValues,
} from "../tree/node.ts";
import { writeTree } from "../tree/write.ts";
import { conform } from "./conform.ts";
import { canonical, encodeDocuments } from "./encode.ts";
import { type ConfigDocument, loadDocuments } from "./load.ts";
import { isKnown } from "./requirements.ts";
import type { Example, Field, Fields, OsVersion, Shape } from "./schema.ts";

/** Which comments a document gets. */
export interface CommentOptions {
  /** Say what the keys mean. */
  readonly docs: boolean;
  /** Show keys that are not given, as examples. */
  readonly examples: boolean;
  /** Version of the operating system that has to know what examples show; default the newest. */
  readonly version?: OsVersion | undefined;
  /** Whether keys that have a comment get no other, and examples that are in the document are not shown again. */
  readonly isCommented?: boolean;
}

/** Options of those who work on a document. */
interface Work extends CommentOptions {
  /** What its comments show, line by line: see {@linkcode shownBy}. */
  readonly shown: ReadonlySet<string>;
}

/** Lines of a comment; `undefined` is an empty line. */
type Lines = readonly (string | undefined)[];

/** What a value and its description are, side by side. */
interface CommentedNode<Node> {
  /** The value in the form it is written in. */
  readonly node: Node;
  /** The value as it was given. */
  readonly given: ConfigNode | undefined;
}

const indent = " ".repeat(4);

/**
 * Adds comments to a document: what a key means behind single values and above
 * the others, and examples of the keys that are not given at the end of their
 * mapping. Without their first `# ` examples are valid YAML; those below an
 * empty value take its place. Deprecated keys get nothing.
 *
 * @param document A document without problems.
 * @param options Which comments; with neither the document stays as it is.
 * @returns The document in the form {@linkcode encodeDocuments} takes.
 */
export function annotate(
  document: ConfigDocument,
  options: CommentOptions,
): ConfigDocument {
  const { root: given, schema } = document;
  if (schema === undefined || !(options.docs || options.examples)) {
    return document;
  }
  const node = canonical(document);
  if (node.kind !== "map") return document;
  const shown = new Set(options.isCommented ? shownInComments(node) : []);
  const root = struct({ node, given }, schema.fields, { ...options, shown });
  return { ...document, root };
}

/**
 * Adds comments to a configuration where it has none yet.
 *
 * @param text A configuration, with comments or without.
 * @param options Which comments; with neither the text stays as it is.
 */
export function withComments(text: string, options: CommentOptions): string {
  if (!options.docs && !options.examples) return text;
  const { documents } = loadDocuments(text, "the configuration");
  const how = { ...options, isCommented: true };
  return encodeDocuments(documents.map((one) => annotate(one, how)));
}

function shownInComments(node: MapNode): readonly string[] {
  return writeTree(node).split("\n").flatMap((line) => {
    const [, comment] = line.match(/^ *#(.*)$/) ?? [];
    return comment === undefined ? [] : [shownBy(comment)];
  });
}

/** What a line of an example shows: neither its indentation nor what it says about it. */
function shownBy(line: string): string {
  return line.replace(/(^|\s)#.*$/, "").trim();
}

/** Leaves out an example that the document has already. */
function unlessShown(lines: Lines, { shown }: Work): Lines {
  const own = lines.map((line) => shownBy(line ?? ""))
    .filter((line) => line !== "");
  return own.every((line) => shown.has(line)) ? [] : lines;
}

function struct(
  { node, given }: CommentedNode<MapNode>,
  fields: Fields,
  options: Work,
): MapNode {
  // Where nothing is said about them, empty lists would not survive the next change.
  const kept = options.docs
    ? withListed({ node, given }, fields)
    : node.entries;
  const shown = kept.map((entry) => {
    const field = fields[entry.key];
    const part = { node: entry, given: childOf(given, entry.key) };
    return field === undefined ? entry : documented(part, field, options);
  });
  const entries = shown.map((entry, index) => {
    const above = shown[index - 1]?.value;
    return above === undefined || !hasFoot(above) ? entry : apart(entry);
  });
  const missing = options.examples ? omitted(entries, fields, options) : [];
  return withLines({ ...node, entries }, missing);
}

/** Adds the lists that are shown although they are empty. */
function withListed(
  { node, given }: CommentedNode<MapNode>,
  fields: Fields,
): readonly MapEntry[] {
  const names = Object.keys(fields);
  const listed = names.filter((key) =>
    fields[key]?.listed && childOf(node, key) === undefined &&
    childOf(given, key)?.kind === "list"
  );
  if (listed.length === 0) return node.entries;
  const empty: ConfigNode = { kind: "list", items: [] };
  return [...node.entries, ...listed.map((key) => ({ key, value: empty }))]
    .sort((a, b) => names.indexOf(a.key) - names.indexOf(b.key));
}

function documented(
  { node: entry, given }: CommentedNode<MapEntry>,
  field: Field,
  options: Work,
): MapEntry {
  if (field.deprecated !== undefined) return entry;
  const inner = below({ node: entry.value, given }, field.shape, options);
  const value = options.examples && field.shape.shape !== "struct"
    ? withLines(inner, foot(entry, field, options))
    : inner;
  const hasComment = entry.before?.some((line) => line !== undefined) ??
    false;
  if (!options.docs || (options.isCommented && hasComment)) {
    return { ...entry, value };
  }
  const { summary } = field;
  return value.kind === "scalar"
    ? { ...entry, value, line: entry.line ?? summary }
    : { ...entry, value, before: [...entry.before ?? [], summary] };
}

function below(
  { node, given }: CommentedNode<ConfigNode>,
  shape: Shape,
  options: Work,
): ConfigNode {
  if (node.kind === "list" && shape.shape === "list") {
    const old = given?.kind === "list" ? given.items : [];
    return withValues(node, (value, index) => {
      const part = { node: value, given: old[Number(index)]?.value };
      return below(part, shape.of, options);
    });
  }
  if (node.kind !== "map") return node;
  if (shape.shape === "struct") {
    return struct({ node, given }, shape.fields, options);
  }
  if (shape.shape !== "map") return node;
  return withValues(
    node,
    (value, key) =>
      below(
        { node: value, given: childOf(given, String(key)) },
        shape.of,
        options,
      ),
  );
}

/** Examples of the keys that are not given. */
function omitted(
  entries: readonly MapEntry[],
  fields: Fields,
  options: Work,
): Lines {
  const given = new Set(entries.map(({ key }) => key));
  const margin = entries.length === 0 ? indent : "";
  const blocks = Object.entries(fields).flatMap(([key, field]) => {
    if (given.has(key) || field.deprecated !== undefined) return [];
    const lines = unlessShown(exampleLines(key, field, options), options);
    if (lines.length === 0) return [];
    return [options.docs ? [`# ${field.summary}`, ...lines] : lines];
  });
  const lines = blocks.flatMap((block) => [undefined, ...block]);
  // Below an empty mapping the first line follows at once.
  return indented(entries.length === 0 ? lines.slice(1) : lines, margin);
}

/** Examples of what could stand in the place of an empty list or mapping. */
function foot(
  { key, value }: MapEntry,
  field: Field,
  options: Work,
): Lines {
  if (!isEmpty(value)) return [];
  const blocks = (field.examples ?? []).map((example): Lines => {
    const block = blockLines(key, field, example, options).slice(1);
    const lines = unlessShown(block, options);
    const { title } = example;
    if (title === undefined || lines.length === 0) return lines;
    return [`${indent}# ${title}`, ...lines];
  }).filter((lines) => lines.length > 0);
  return blocks.flatMap((block) => [undefined, ...block]).slice(1);
}

/** All examples of one key, the key included. */
function exampleLines(
  key: string,
  field: Field,
  options: Work,
): Lines {
  if (!isKnown(field, options.version)) return [];
  return (field.examples ?? []).flatMap((example): Lines => {
    const lines = blockLines(key, field, example, options);
    const { title } = example;
    if (title === undefined || lines.length === 0) return lines;
    const space = options.docs ? [undefined] : [];
    return [...space, `# ${title}`, ...lines];
  });
}

function blockLines(
  key: string,
  field: Field,
  example: Example,
  options: Work,
): readonly string[] {
  const alone: Fields = { [key]: { ...field, always: true } };
  const { node } = conform(treeOf({ [key]: example.value }), alone);
  const value = childOf(node, key);
  if (value === undefined) return [];
  const known = knownPart(value, field.shape, options.version);
  if (isEmpty(known) && !isEmpty(value)) return [];
  const within = { ...options, examples: false };
  const shown = options.docs
    ? below({ node: known, given: known }, field.shape, within)
    : known;
  const text = writeTree({ kind: "map", entries: [{ key, value: shown }] });
  return text.trimEnd().split("\n");
}

/** An example without what a version does not know. */
function knownPart(
  node: ConfigNode,
  shape: Shape,
  version: OsVersion | undefined,
): ConfigNode {
  if (version === undefined) return node;
  if (node.kind === "list" && shape.shape === "list") {
    return withValues(node, (value) => knownPart(value, shape.of, version));
  }
  if (node.kind !== "map" || shape.shape !== "struct") return node;
  const entries = node.entries.flatMap((entry) => {
    const field = shape.fields[entry.key];
    if (field === undefined || !isKnown(field, version)) return [];
    return [{ ...entry, value: knownPart(entry.value, field.shape, version) }];
  });
  return { ...node, entries };
}

function withLines<Node extends ConfigNode>(node: Node, lines: Lines): Node {
  if (node.kind === "scalar" || lines.length === 0) return node;
  return { ...node, after: [...node.after ?? [], ...lines] };
}

function apart(entry: MapEntry): MapEntry {
  return { ...entry, before: [undefined, ...entry.before ?? []] };
}

function hasFoot(node: ConfigNode): boolean {
  return node.kind !== "scalar" && isEmpty(node) && node.after !== undefined;
}

function isEmpty(node: ConfigNode): boolean {
  if (node.kind === "scalar") return false;
  return (node.kind === "map" ? node.entries : node.items).length === 0;
}

function indented(lines: Lines, margin: string): Lines {
  return lines.map((line) => line === undefined ? line : `${margin}${line}`);
}
