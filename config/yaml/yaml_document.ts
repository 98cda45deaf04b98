/** Complete YAML parser, which produces documents without aliases. */

import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Pair,
  parseDocument,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { computing, longText } from "../../interrupts.ts";
import { expandAliases } from "./yaml_alias.ts";
import type { YamlEntry, YamlTree } from "./yaml_tree.ts";
import { misread, type Position } from "../../lib/text/text_position.ts";
import { setItems } from "./yaml_edit.ts";

interface YamlSource {
  /** Document with string scalars only, without aliases and merge keys. */
  readonly document: Document;
  readonly locate: (offset: number | undefined) => Position;
  /** File name for messages. */
  readonly file: string;
}

// The library needs up to 1 kB of memory for each mark, and as much for each error.
const markLimit = 100_000;
const marks = new Set(
  Array.from("\n:-?,[]{}&*!#|>%@`'\"", (c) => c.charCodeAt(0)),
);
const nothing = new Set(["", "~", "null", "Null", "NULL"]);

/**
 * Parses a text. Scalars stay as written: `1.10` and `true` are texts.
 *
 * @param text One YAML document.
 * @throws {ConfigError} If it is not YAML, has more than 100 000 lines and marks such as `:`, several documents, or
 * exploding aliases.
 */
export function openYaml(text: string, file: string): YamlSource {
  if (text.length > longText) computing();
  if (countMarks(text) > markLimit) {
    throw misread(file, undefined, "it has too many keys and items");
  }
  const lineCounter = new LineCounter();
  const document = unlessTooDeep(() =>
    parseDocument(text, {
      schema: "failsafe",
      lineCounter,
      prettyErrors: false,
      logLevel: "error",
      // The check of the library takes quadratic time; `toTree` has its own.
      uniqueKeys: false,
    })
  );
  if (document === undefined) {
    throw misread(file, undefined, "it is nested too deeply");
  }
  function toPosition(offset = 0): Position {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
  const fault = firstFault(document);
  if (fault !== undefined) {
    throw misread(file, toPosition(fault.offset), fault.fault, fault.hint);
  }
  return { document, locate: toPosition, file };
}

/** Converts a document to a tree. Throws `ConfigError` if a key is a duplicate or not a scalar. */
export function toTree(source: YamlSource): YamlTree {
  return makeTree(source.document.contents, source);
}

/** Creates a document node from a tree. */
export function fromTree(tree: YamlTree): Scalar | YAMLMap | YAMLSeq {
  switch (tree.kind) {
    case "null":
      return new Scalar("null");
    case "text": {
      const scalar = new Scalar(tree.value);
      scalar.type = tree.plain ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
      return scalar;
    }
    case "list": {
      const list = new YAMLSeq();
      setItems(list, tree.items.map(fromTree));
      return list;
    }
    case "map": {
      const map = new YAMLMap();
      const pairs = tree.entries.map(({ key, value }) =>
        new Pair(new Scalar(key), fromTree(value))
      );
      setItems<Pair>(map, pairs);
      return map;
    }
  }
}

function makeTree(node: unknown, source: YamlSource): YamlTree {
  if (isMap(node)) return toMap(node, source);
  if (isSeq(node)) {
    return {
      kind: "list",
      items: node.items.map((item) => makeTree(item, source)),
    };
  }
  if (!isScalar(node)) return { kind: "null" };
  const value = String(node.value);
  const plain = node.type === Scalar.PLAIN;
  if (plain && node.tag === undefined && nothing.has(value)) {
    return { kind: "null" };
  }
  return { kind: "text", value, plain, at: source.locate(node.range?.[0]) };
}

function toMap(map: YAMLMap, source: YamlSource): YamlTree {
  const entries = new Map<string, YamlEntry>();
  for (const { key: node, value } of map.items) {
    if (!isScalar(node)) {
      const at = isCollection(node) ? node.range?.[0] : undefined;
      const fault = "a key is not a string";
      throw misread(source.file, source.locate(at), fault);
    }
    const at = source.locate(node.range?.[0]);
    const key = String(node.value);
    if (entries.has(key)) {
      throw misread(
        source.file,
        at,
        `"${key}" appears twice in one mapping`,
        "Keep one of them",
      );
    }
    entries.set(key, { key, at, value: makeTree(value, source) });
  }
  return { kind: "map", entries: [...entries.values()] };
}

/**
 * Runs a parser; the library limits the depth of its output, but not the recursion of its parser, which can overflow
 * the stack. Returns `undefined` if the text is nested too deeply.
 */
export function unlessTooDeep<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Counts line ends and YAML indicators: parsing takes up to 1 kB of memory for each. */
export function countMarks(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    if (marks.has(text.charCodeAt(i))) count++;
  }
  return count;
}

interface YamlFault {
  readonly fault: string;
  readonly offset: number | undefined;
  readonly hint?: string;
}

function firstFault(document: Document): YamlFault | undefined {
  const [error] = document.errors;
  if (error === undefined) return expandAliases(document);
  const offset = error.pos[0];
  switch (error.code) {
    case "MULTIPLE_DOCS":
      return {
        fault: "a second document starts here",
        offset,
        hint: "Keep one document in a file",
      };
    case "RESOURCE_EXHAUSTION":
      return { fault: "it is nested too deeply", offset };
    default:
      return { fault: `not YAML: ${error.message}`, offset };
  }
}
