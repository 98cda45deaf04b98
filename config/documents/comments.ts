/** Documentation and examples as comments of configurations. */

import { fieldAt } from "./shapes.ts";
import {
  type ConfigNode,
  findChild,
  type MapEntry,
  type MapNode,
  toTree,
  withValues,
} from "../tree/node.ts";
import { writeTree } from "../tree/write.ts";
import { conform } from "./conform.ts";
import { canonical, encodeDocuments } from "./encode.ts";
import { type ConfigDocument, loadDocuments } from "./load.ts";
import { isKnown } from "./requirements.ts";
import type { Example, Field, Fields, OsVersion, Shape } from "./schema.ts";

interface CommentOptions {
  readonly docs: boolean;
  /** True to show missing keys as examples. */
  readonly examples: boolean;
  /** OS version that must know the examples; default the newest. */
  readonly version?: OsVersion | undefined;
  /**
   * True to skip keys with comments, for configurations that already have some: a commented key gets no documentation,
   * and examples are not repeated. Default false.
   */
  readonly missingOnly?: boolean;
}

/** Lines of a comment; `undefined` is an empty line. */
type Lines = readonly (string | undefined)[];

/** A value and its description. */
interface CommentedNode<Node> {
  /** The value in canonical form. */
  readonly node: Node;
  readonly given: ConfigNode | undefined;
  /** Comment lines of the enclosing collection. */
  readonly around: Lines;
}

const indent = " ".repeat(4);

/**
 * Adds comments to a document: documentation after single values and above all others, and examples of
 * missing keys at the end of their mapping. Examples are valid YAML without their leading `# `; those below
 * an empty value replace it. Deprecated keys get no comments.
 *
 * With `missingOnly`, a comment belongs to a key if it is behind the value or right above it, without an empty
 * line between. The key of a commented example cannot be determined reliably: a key counts as shown as soon as a
 * comment line of its mapping, or of the collection around that, begins with it. An empty list or mapping under the
 * user's own keys has an example if the first line of one is among the comments around it. So an example may be
 * missing, but never appears twice.
 *
 * @param document A document without problems.
 * @param options Kinds of comments; with none the document stays unchanged.
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
  const root = struct({ node, given, around: [] }, schema.fields, options);
  return { ...document, root };
}

/**
 * Adds missing comments to a configuration.
 *
 * @param text A configuration, with or without comments.
 * @param options Kinds of comments; with none the text stays unchanged.
 */
export function withComments(
  text: string,
  options: Omit<CommentOptions, "missingOnly">,
): string {
  if (!options.docs && !options.examples) return text;
  const { documents } = loadDocuments(text, "the configuration");
  const how = { ...options, missingOnly: true };
  return encodeDocuments(documents.map((one) => annotate(one, how)));
}

function struct(
  { node, given, around }: CommentedNode<MapNode>,
  fields: Fields,
  options: CommentOptions,
): MapNode {
  const own = commentLines(node);
  // Empty lists without a comment would not survive the next change.
  const kept = options.docs ? withListed(node, given, fields) : node.entries;
  const shown = kept.map((entry) => {
    const field = fieldAt(fields, entry.key);
    const part = {
      node: entry,
      given: findChild(given, entry.key),
      around: own,
    };
    return field === undefined ? entry : withDocs(part, field, options);
  });
  const entries = shown.map((entry, index) => {
    const above = shown[index - 1]?.value;
    return above === undefined || !hasFoot(above)
      ? entry
      : { ...entry, before: apart(entry.before, options) };
  });
  const last = entries.at(-1)?.value;
  const written = options.missingOnly && node.after && last && hasFoot(last)
    ? { ...node, entries, after: apart(node.after, options) }
    : { ...node, entries };
  if (!options.examples) return written;
  const missing = unshown(fields, options, [...own, ...around]);
  return withLines(written, omittedLines(entries, missing, options));
}

/** Fields without a comment line that begins with the key; all of them for a configuration without comments. */
function unshown(
  fields: Fields,
  { missingOnly }: CommentOptions,
  lines: Lines,
): Fields {
  if (!missingOnly || lines.length === 0) return fields;
  const shown = new Set(
    lines.map((line) => /^ *([^\s:]+):/.exec(line ?? "")?.[1]),
  );
  return Object.fromEntries(
    Object.entries(fields).filter(([key]) => !shown.has(key)),
  );
}

/** Comment lines of a collection: between the entries or items, and after the last one. */
function commentLines(node: ConfigNode): Lines {
  if (node.kind === "scalar") return [];
  const parts = node.kind === "map" ? node.entries : node.items;
  return [
    ...parts.flatMap(({ before }) => before ?? []),
    ...node.after ?? [],
  ];
}

/** Adds lists that are shown even if empty. */
function withListed(
  node: MapNode,
  given: ConfigNode | undefined,
  fields: Fields,
): readonly MapEntry[] {
  const names = Object.keys(fields);
  const listed = names.filter((key) =>
    fields[key]?.listed && findChild(node, key) === undefined &&
    findChild(given, key)?.kind === "list"
  );
  if (listed.length === 0) return node.entries;
  const empty: ConfigNode = { kind: "list", items: [] };
  return [...node.entries, ...listed.map((key) => ({ key, value: empty }))]
    .sort((a, b) => names.indexOf(a.key) - names.indexOf(b.key));
}

function withDocs(
  { node: entry, given, around }: CommentedNode<MapEntry>,
  field: Field,
  options: CommentOptions,
): MapEntry {
  if (field.deprecated !== undefined) return entry;
  const part = { node: entry.value, given, around };
  const inner = below(part, field.shape, options);
  const value = options.examples && field.shape.shape !== "struct"
    ? withLines(inner, foot(entry, { field, around }, options))
    : inner;
  const { docs, missingOnly } = options;
  if (!docs || missingOnly && hasComment(entry)) return { ...entry, value };
  const { summary } = field;
  return value.kind === "scalar"
    ? { ...entry, value, line: entry.line ?? summary }
    : { ...entry, value, before: [...entry.before ?? [], summary] };
}

/** A comment behind an empty line belongs to something else, such as the entry above. */
function hasComment({ before, line }: MapEntry): boolean {
  return line !== undefined || before?.at(-1) !== undefined;
}

function below(
  { node, given, around }: CommentedNode<ConfigNode>,
  shape: Shape,
  options: CommentOptions,
): ConfigNode {
  const own = commentLines(node);
  if (node.kind === "list" && shape.shape === "list") {
    const list = given?.kind === "list" ? given.items : [];
    return withValues(node, (value, index) => {
      const old = list[Number(index)]?.value;
      const part = { node: value, given: old, around: own };
      return below(part, shape.of, options);
    });
  }
  if (node.kind !== "map") return node;
  if (shape.shape === "struct") {
    return struct({ node, given, around }, shape.fields, options);
  }
  if (shape.shape !== "map") return node;
  return withValues(
    node,
    (value, key) =>
      below(
        { node: value, given: findChild(given, String(key)), around: own },
        shape.of,
        options,
      ),
  );
}

/** Examples of missing keys. */
function omittedLines(
  entries: readonly MapEntry[],
  fields: Fields,
  options: CommentOptions,
): Lines {
  const given = new Set(entries.map(({ key }) => key));
  const margin = entries.length === 0 ? indent : "";
  const blocks = Object.entries(fields).flatMap(([key, field]) => {
    if (given.has(key) || field.deprecated !== undefined) return [];
    const lines = exampleLines(key, field, options);
    if (lines.length === 0) return [];
    return [options.docs ? [`# ${field.summary}`, ...lines] : lines];
  });
  const lines = blocks.flatMap((block) => [undefined, ...block]);
  // Below an empty mapping the first line follows directly.
  return indentLines(entries.length === 0 ? lines.slice(1) : lines, margin);
}

/** Examples for an empty list or mapping. */
function foot(
  { key, value }: MapEntry,
  { field, around }: { readonly field: Field; readonly around: Lines },
  options: CommentOptions,
): Lines {
  if (!isEmpty(value)) return [];
  const there = new Set(options.missingOnly ? around.map(withoutDocs) : []);
  const blocks = (field.examples ?? []).map((example): Lines => {
    const lines = blockLines(key, field, example, options).slice(1);
    const { title } = example;
    if (title === undefined || lines.length === 0) return lines;
    return [`${indent}# ${title}`, ...lines];
  }).filter((lines) => lines.length > 0);
  const isShown = blocks.some((lines) => {
    const first = lines.map(withoutDocs).find((text) => text !== "");
    return first !== undefined && there.has(first);
  });
  if (isShown) return [];
  return blocks.flatMap((block) => [undefined, ...block]).slice(1);
}

function exampleLines(
  key: string,
  field: Field,
  options: CommentOptions,
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
  options: CommentOptions,
): readonly string[] {
  const alone: Fields = { [key]: { ...field, always: true } };
  const { node } = conform(toTree({ [key]: example.value }), alone);
  const value = findChild(node, key);
  if (value === undefined) return [];
  const known = knownPart(value, field.shape, options.version);
  if (isEmpty(known) && !isEmpty(value)) return [];
  const within = { ...options, examples: false };
  const shown = options.docs
    ? below({ node: known, given: known, around: [] }, field.shape, within)
    : known;
  const text = writeTree({ kind: "map", entries: [{ key, value: shown }] });
  return text.trimEnd().split("\n");
}

/** The part of an example that a version knows. */
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
    const field = fieldAt(shape.fields, entry.key);
    if (field === undefined || !isKnown(field, version)) return [];
    return [{ ...entry, value: knownPart(entry.value, field.shape, version) }];
  });
  return { ...node, entries };
}

function withLines<Node extends ConfigNode>(node: Node, lines: Lines): Node {
  if (node.kind === "scalar" || lines.length === 0) return node;
  return { ...node, after: [...node.after ?? [], ...lines] };
}

/** Comments after an empty line, added if missing. */
function apart(
  lines: Lines | undefined = [],
  { missingOnly }: CommentOptions,
): Lines {
  const isApart = missingOnly && lines.length > 0 && lines[0] === undefined;
  return isApart ? lines : [undefined, ...lines];
}

/** A line of an example without titles, documentation and indentation. */
function withoutDocs(line: string | undefined): string {
  return line?.replace(/(^| )# .*/, "").trim() ?? "";
}

function hasFoot(node: ConfigNode): boolean {
  return node.kind !== "scalar" && isEmpty(node) && node.after !== undefined;
}

function isEmpty(node: ConfigNode): boolean {
  if (node.kind === "scalar") return false;
  return (node.kind === "map" ? node.entries : node.items).length === 0;
}

function indentLines(lines: Lines, margin: string): Lines {
  return lines.map((line) => line === undefined ? line : `${margin}${line}`);
}
