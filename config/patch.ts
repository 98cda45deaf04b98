/** Patches of configurations: strategic merges and JSON patches. */

import { ConfigError } from "../errors.ts";
import { canonical, encodeDocuments } from "./documents/encode.ts";
import {
  clashes,
  type ConfigDocument,
  fieldsOf,
  identify,
  identityOf,
  isHollow,
  isSame,
  loadDocuments,
  type Loaded,
  mainKind,
} from "./documents/load.ts";
import { conform } from "./documents/conform.ts";
import { refusal, refuse } from "./documents/refusal.ts";
import {
  type Directives,
  readDirectives,
  remove,
  stepsText,
} from "./patches/directives.ts";
import {
  applyOperation,
  type Operation,
  readOperations,
} from "./patches/json_patch.ts";
import { mergeRoots, sameValue } from "./patches/merge.ts";
import type { MapNode } from "./tree/node.ts";
import { readDocuments } from "./tree/read.ts";

/** A patch that was read. */
export type Patch =
  | {
    /** Partial documents. */
    readonly kind: "merge";
    /** Documents without their marks. */
    readonly parts: readonly PatchPart[];
    /** Name for messages. */
    readonly file: string;
  }
  | {
    /** Operations on documents. */
    readonly kind: "json";
    /** In the order they are applied. */
    readonly operations: readonly Operation[];
    /** Name for messages. */
    readonly file: string;
  };

/** One document of a strategic merge. */
export interface PatchPart extends Directives {
  /** Which document it is for. */
  readonly target: ConfigDocument;
}

/** What patches made of a configuration. */
export interface Patched {
  /** The documents. */
  readonly documents: readonly ConfigDocument[];
  /** What the user should know: lists that grew, targets that were not there. */
  readonly notes: readonly string[];
  /** False when nothing is different from before. */
  readonly changed: boolean;
}

/**
 * Reads a patch and finds out which kind it is: a list is a JSON patch,
 * anything else a strategic merge of one or more documents.
 *
 * @param text YAML or JSON.
 * @param file Name for messages.
 * @throws {ConfigError} If it is neither, or a document has keys or values that do not exist.
 */
export function readPatch(text: string, file: string): Patch {
  const { documents } = readDocuments(text, file);
  const [first] = documents;
  if (first?.root.kind === "list") {
    if (documents.length > 1) {
      throw new ConfigError(
        `Cannot read patch "${file}": it has operations and documents`,
        { hint: "Give each as a patch of its own" },
      );
    }
    return { kind: "json", operations: readOperations(first.root), file };
  }
  const parts = documents.flatMap(({ root, number }) =>
    root.kind === "map" && root.entries.length === 0
      ? []
      : [readPart(root, number, file)]
  );
  return { kind: "merge", parts, file };
}

function readPart(
  root: ReturnType<typeof readDocuments>["documents"][number]["root"],
  number: number,
  file: string,
): PatchPart {
  if (root.kind !== "map") {
    throw new ConfigError(
      `Cannot read patch "${file}": document ${number} is a single value`,
      {
        hint:
          "A patch is a partial document, or a list of operations (RFC 6902)",
      },
    );
  }
  const directives = readDirectives(root);
  const target = identify(root, number);
  if ("message" in target) throw refusal(`patch "${file}"`, [target]);
  const { root: rest } = directives;
  if (rest !== undefined && target.schema !== undefined) {
    const fields = fieldsOf(target.schema);
    refuse(`patch "${file}"`, conform(rest, fields).problems);
  }
  return { ...directives, target };
}

/**
 * Applies patches one after the other.
 *
 * @param documents The configuration.
 * @param patches In the order they are applied.
 * @throws {ConfigError} If an operation finds no place, or the result has
 * documents that exclude each other.
 */
export function applyPatches(
  documents: readonly ConfigDocument[],
  patches: readonly Patch[],
): Patched {
  const notes: string[] = [];
  let result = documents;
  for (const patch of patches) {
    const before = result;
    result = patch.kind === "json"
      ? patch.operations.reduce(operate, result)
      : patch.parts.reduce(
        (all, part) => applyPart(all, part, notes),
        result,
      );
    if (sameDocuments(before, result)) {
      notes.push(`patch "${patch.file}" changes nothing`);
    }
  }
  refuse("the patched configuration", [...clashes(result)]);
  return {
    documents: result,
    notes,
    changed: !sameDocuments(documents, result),
  };
}

/**
 * Patches the text of a configuration.
 *
 * @param text YAML.
 * @param file Name for messages.
 * @param patches In the order they are applied.
 * @returns The new text, and what the user should know. Without a change the
 * text is the old one, byte for byte.
 * @throws {ConfigError} As {@linkcode applyPatches} and {@linkcode loadDocuments}
 * do, and for keys and values that do not exist.
 */
export function patchText(
  text: string,
  file: string,
  patches: readonly Patch[],
): { readonly text: string; readonly notes: readonly string[] } {
  const loaded: Loaded = loadDocuments(text, file);
  refuse(`"${file}"`, loaded.problems);
  const { documents, notes, changed } = applyPatches(loaded.documents, patches);
  return { text: changed ? encodeDocuments(documents) : text, notes };
}

function applyPart(
  documents: readonly ConfigDocument[],
  part: PatchPart,
  notes: string[],
): readonly ConfigDocument[] {
  const { target, root: rest } = part;
  const old = documents.find((document) => isSame(document, target));
  if (part.document === "delete") {
    if (old === undefined) notes.push(missing(identityOf(target)));
    return documents.filter((document) => document !== old);
  }
  const base = part.document === "replace" ? undefined : old;
  const root = withoutRemoved(base, part, notes);
  if (rest === undefined) {
    return put(documents, old, root && { ...target, root });
  }
  if (root === undefined || base === undefined) {
    if (old === undefined && isHollow({ ...target, root: rest })) {
      return documents;
    }
    return put(documents, old, { ...target, root: rest });
  }
  const fields = target.schema && fieldsOf(target.schema);
  const merged = mergeRoots(root, rest, fields);
  for (const { path, count } of merged.appended) {
    notes.push(`${path}: ${count} appended to what was there`);
  }
  return put(documents, old, { ...base, root: merged.root });
}

function withoutRemoved(
  base: ConfigDocument | undefined,
  { removals, target }: PatchPart,
  notes: string[],
): MapNode | undefined {
  let root = base?.root;
  for (const { path, replaced } of removals) {
    const without = root && remove(root, path);
    if (without === undefined && !replaced) {
      notes.push(missing(`${stepsText(path)} in ${identityOf(target)}`));
    }
    root = without ?? root;
  }
  return root;
}

function missing(what: string): string {
  return `nothing to delete: there is no ${what}`;
}

function put(
  documents: readonly ConfigDocument[],
  old: ConfigDocument | undefined,
  made: ConfigDocument | undefined,
): readonly ConfigDocument[] {
  if (made === undefined) return documents;
  if (old === undefined) return [...documents, made];
  return documents.map((document) => document === old ? made : document);
}

function operate(
  documents: readonly ConfigDocument[],
  operation: Operation,
): readonly ConfigDocument[] {
  const wanted = operation.document ?? mainKind;
  const old = documents.find((document) => identityOf(document) === wanted);
  if (old === undefined) {
    throw new ConfigError(
      `Cannot apply JSON patch: there is no document ${wanted}`,
      {
        hint: `Name one of ${
          documents.map(identityOf).join(", ")
        } with "document" in the operation`,
      },
    );
  }
  const root = applyOperation(old.root, operation);
  const made = identify(root, old.number);
  if ("message" in made) throw refusal("the result of the JSON patch", [made]);
  if (made.schema !== undefined) {
    const { problems } = conform(root, fieldsOf(made.schema));
    refuse("the result of the JSON patch", problems);
  }
  return put(documents, old, made);
}

function sameDocuments(
  a: readonly ConfigDocument[],
  b: readonly ConfigDocument[],
): boolean {
  return a === b || (a.length === b.length &&
    a.every((document, index) => {
      const other = b[index];
      return document === other || (other !== undefined &&
        isSame(document, other) &&
        sameValue(canonical(document), canonical(other)));
    }));
}
