/** JSON patches (RFC 6902) on trees, which preserve comments. */

import { ConfigError } from "../../errors.ts";
import { toCursor } from "../documents/cursor.ts";
import {
  type ConfigNode,
  findChild,
  type ListNode,
  type Place,
} from "../tree/node.ts";
import { readDocuments } from "../tree/read.ts";
import { sameValue } from "../tree/resolve.ts";
import { writeDocuments } from "../tree/write.ts";

/** One operation. */
export interface PatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** Target, as reference tokens (RFC 6901). */
  readonly path: readonly string[];
  /** Source, for `move` and `copy`. */
  readonly from: readonly string[];
  /** Value, for `add`, `replace` and `test`. */
  readonly value: ConfigNode | undefined;
  /** `kind[/name]` of the target document; absent for the main one. */
  readonly document?: string;
  readonly at?: Place;
}

const verbs = ["add", "remove", "replace", "move", "copy", "test"] as const;
const valued = new Set<string>(["add", "replace", "test"]);
const moving = new Set<string>(["move", "copy"]);

/**
 * Parses a list of operations.
 *
 * In addition to RFC 6902, each may name its document: `document: HostnameConfig`.
 *
 * @throws {ConfigError} If an operation is incomplete or unknown.
 */
export function readOperations(list: ListNode): readonly PatchOperation[] {
  return toCursor(list).items().map((item): PatchOperation => {
    const op = verbs.find((verb) => verb === item.get("op").text());
    const value = findChild(item.node, "value");
    const document = item.get("document").text();
    if (op === undefined) {
      const given = item.get("op").text();
      throw faulty(
        item.at,
        given === undefined
          ? '"op" is missing'
          : `unknown operation "${given}"`,
        `Operations are ${verbs.join(", ")}`,
      );
    }
    if (valued.has(op) && value === undefined) {
      throw faulty(item.at, '"value" is missing', `Give ${op} a value`);
    }
    return {
      op,
      path: tokens(item.get("path").text(), "path", item.at),
      from: moving.has(op)
        ? tokens(item.get("from").text(), "from", item.at)
        : [],
      value,
      document,
      at: item.at,
    };
  });
}

function tokens(
  pointer: string | undefined,
  name: string,
  at: Place | undefined,
): readonly string[] {
  if (pointer === "") return [];
  if (pointer?.startsWith("/")) {
    return pointer.slice(1).split("/").map((token) =>
      token.replaceAll("~1", "/").replaceAll("~0", "~")
    );
  }
  throw faulty(
    at,
    pointer === undefined
      ? `"${name}" is missing`
      : `"${pointer}" does not start with "/"`,
    `Give a ${name} such as /machine/network/hostname`,
  );
}

/**
 * Reports whether an operation replaces a missing value; in mappings, talosctl treats this as `add`, and so does osctl.
 */
export function replacesNothing(
  root: ConfigNode,
  { op, path }: PatchOperation,
): boolean {
  return op === "replace" && valueAt(root, path) === undefined;
}

/** Target of an operation as a JSON pointer. */
export function formatPointer({ path }: PatchOperation): string {
  return pointer(path);
}

/** Applies one operation. Throws `ConfigError` if the target does not exist, or a test fails. */
export function applyOperation(
  root: ConfigNode,
  operation: PatchOperation,
): ConfigNode {
  const { op, path, from, value } = operation;
  const edit: Edit = { operation };
  switch (op) {
    case "add":
      return change(root, path, { ...edit, put: value, insert: true });
    case "replace":
      return change(root, path, { ...edit, put: value, insert: false });
    case "remove":
      return change(root, path, edit);
    case "copy": {
      const found = find(root, from, operation);
      return change(root, path, { ...edit, put: found, insert: true });
    }
    case "move": {
      const found = find(root, from, operation);
      const without = change(root, from, edit);
      return change(without, path, { ...edit, put: found, insert: true });
    }
    case "test": {
      const found = find(root, path, operation);
      if (value !== undefined && sameValue(found, value)) return root;
      throw faulty(
        operation.at,
        `the value at ${pointer(path)} is different`,
        "Nothing was changed",
      );
    }
  }
}

interface Edit {
  readonly operation: PatchOperation;
  /** Value to set; absent to remove. */
  readonly put?: ConfigNode | undefined;
  /** True to insert the value instead of replacing one. */
  readonly insert?: boolean;
}

function change(
  node: ConfigNode,
  path: readonly string[],
  edit: Edit,
  depth = 0,
): ConfigNode {
  const token = path[depth];
  if (token === undefined) return edit.put ?? { kind: "map", entries: [] };
  const isLast = depth === path.length - 1;
  if (node.kind === "map") {
    const entry = node.entries.find(({ key }) => key === token);
    if (entry === undefined) {
      if (!isLast || edit.put === undefined) {
        throw missingPath(edit.operation, path.slice(0, depth + 1));
      }
      const { at } = edit.operation;
      const added = { key: token, value: edit.put, ...(at && { at }) };
      return { ...node, entries: [...node.entries, added] };
    }
    const value = isLast
      ? edit.put
      : change(entry.value, path, edit, depth + 1);
    const entries = node.entries.flatMap((old) => {
      if (old !== entry) return [old];
      return value === undefined ? [] : [{ ...old, value }];
    });
    return { ...node, entries };
  }
  if (node.kind === "list") return changeItem(node, path, edit, depth);
  throw missingPath(edit.operation, path.slice(0, depth + 1));
}

function changeItem(
  node: ListNode,
  path: readonly string[],
  edit: Edit,
  depth: number,
): ConfigNode {
  const isLast = depth === path.length - 1;
  const inserts = isLast && edit.insert === true;
  const index = parseIndex(path[depth] ?? "", node, inserts);
  if (index === undefined) {
    throw missingPath(edit.operation, path.slice(0, depth + 1));
  }
  if (!isLast) {
    const items = node.items.map((item, i) =>
      i === index
        ? { ...item, value: change(item.value, path, edit, depth + 1) }
        : item
    );
    return { ...node, items };
  }
  const old = node.items[index];
  const items = edit.put === undefined
    ? []
    : [inserts ? { value: edit.put } : { ...old, value: edit.put }];
  return {
    ...node,
    items: node.items.toSpliced(index, inserts ? 0 : 1, ...items),
  };
}

function parseIndex(
  token: string,
  { items }: ListNode,
  inserts: boolean,
): number | undefined {
  const count = items.length + (inserts ? 1 : 0);
  if (token === "-") return inserts ? items.length : undefined;
  if (!/^-?(0|[1-9][0-9]*)$/.test(token)) return undefined;
  // As in talosctl, negative indexes count from the end.
  const index = Number(token) + (token.startsWith("-") ? count : 0);
  return index >= 0 && index < count ? index : undefined;
}

function find(
  root: ConfigNode,
  path: readonly string[],
  operation: PatchOperation,
): ConfigNode {
  const found = valueAt(root, path);
  if (found === undefined) throw missingPath(operation, path);
  return found;
}

function valueAt(
  root: ConfigNode,
  path: readonly string[],
): ConfigNode | undefined {
  return path.reduce(
    (node: ConfigNode | undefined, token) =>
      node?.kind === "list"
        ? node.items[parseIndex(token, node, false) ?? -1]?.value
        : findChild(node, token),
    root,
  );
}

function missingPath(
  { op, at, document }: PatchOperation,
  path: readonly string[],
): ConfigError {
  const where = document === undefined ? "" : ` in ${document}`;
  return faulty(
    at,
    `${op} finds no value at ${pointer(path)}${where}`,
    "Paths start at the root of the document; list elements are numbered from 0",
  );
}

function pointer(path: readonly string[]): string {
  return path.map((token) =>
    `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`
  ).join("") || '""';
}

function faulty(
  at: Place | undefined,
  fault: string,
  hint: string,
): ConfigError {
  const place = at === undefined
    ? ""
    : ` "${at.file}" at line ${at.line}, column ${at.column}`;
  return new ConfigError(`Cannot apply JSON patch${place}: ${fault}`, { hint });
}

/**
 * Applies operations to a document.
 *
 * @param text YAML, one document.
 * @returns YAML; the same text if nothing changes.
 * @throws {ConfigError} If it is not a YAML document, or an operation has no target.
 */
export function applyOperations(
  text: string,
  name: string,
  operations: readonly PatchOperation[],
): string {
  const { documents: [first, ...others] } = readDocuments(text, name);
  if (first === undefined || others.length > 0) {
    throw new ConfigError(`Cannot patch ${name}: it is not one document`);
  }
  const made = operations.reduce(applyOperation, first.root);
  return sameValue(first.root, made) ? text : writeDocuments([made]);
}
