/** Parses patches of both kinds. */

import { ConfigError } from "../../errors.ts";
import { toCursor } from "../documents/cursor.ts";
import { conform } from "../documents/conform.ts";
import {
  type ConfigDocument,
  findFields,
  findProblems,
  formatIdentity,
  identify,
  isSame,
  mainKind,
  registerSecrets,
} from "../documents/load.ts";
import { DocumentsError, refuse } from "../documents/problem.ts";
import { learnSecrets } from "../documents/secrets.ts";
import { processMasker } from "../../lib/masker.ts";
import {
  type ConfigNode,
  isNull,
  type MapEntry,
  type MapNode,
  withValues,
} from "../tree/node.ts";
import { type ReadDocument, readDocuments } from "../tree/read.ts";
import { type Directives, readDirectives } from "./directives.ts";
import { type PatchOperation, readOperations } from "./json_patch.ts";

/** A parsed patch. */
export type Patch =
  | {
    readonly kind: "merge";
    /** Documents without directives. */
    readonly parts: readonly PatchPart[];
    readonly file: string;
  }
  | {
    readonly kind: "json";
    /** In the order of application. */
    readonly operations: readonly PatchOperation[];
    readonly file: string;
  };

/** One document of a strategic merge. */
export interface PatchPart extends Directives {
  readonly target: ConfigDocument;
}

/** From now on its secrets are masked in all output. */
function learnPatch({ root, number }: ReadDocument): void {
  const found = identify(root, number);
  if (!("message" in found)) return registerSecrets(found);
  // Values of operations may go anywhere.
  const all: MapNode = { kind: "map", entries: [{ key: "", value: root }] };
  learnSecrets(all, undefined, processMasker);
}

/**
 * Parses a patch and detects its kind: a list is a JSON patch,
 * anything else a strategic merge of one or more documents.
 *
 * @param text YAML or JSON.
 * @throws {ConfigError} If it is neither, or a document has unknown keys or invalid values.
 */
export function readPatch(text: string, file: string): Patch {
  return toPatch(readDocuments(text, file).documents, file);
}

/** Makes a patch from the documents of a file. Throws `ConfigError` like {@linkcode readPatch}. */
export function toPatch(
  documents: readonly ReadDocument[],
  file: string,
): Patch {
  documents.forEach(learnPatch);
  const [first, ...others] = documents;
  if (first?.root.kind === "list" && others.length === 0) {
    return { kind: "json", operations: readOperations(first.root), file };
  }
  const parts = documents.flatMap(({ root, number }) =>
    root.kind === "map" && root.entries.length === 0
      ? []
      : [readPart(root, number, file)]
  );
  const whole = parts.filter(({ document }) => document !== "delete");
  for (const [index, { target }] of whole.entries()) {
    const same = whole.slice(0, index).find((one) =>
      isSame(one.target, target)
    );
    if (same === undefined) continue;
    refuse(`patch "${file}"`, [
      toCursor(target.root).error(
        `${formatIdentity(target)} is already document ${same.target.number}`,
        "Put both into one document, or give two patches",
      ),
    ]);
  }
  return { kind: "merge", parts, file };
}

/** Removes comments of keys without a value: they would keep the key in the result. */
function withoutEmptyComments(root: MapNode): MapNode {
  const entries = root.entries.map((entry): MapEntry => {
    const value = withoutEmptyCommentsIn(entry.value);
    const { key, at } = entry;
    return isEmpty(value)
      ? { key, value: withoutPlaces(value), at }
      : { ...entry, value };
  });
  return { ...root, entries };
}

function withoutEmptyCommentsIn(node: ConfigNode): ConfigNode {
  if (node.kind === "map") return withoutEmptyComments(node);
  return node.kind === "list" ? withValues(node, withoutEmptyCommentsIn) : node;
}

function isEmpty(node: ConfigNode): boolean {
  if (node.kind === "scalar") return isNull(node);
  return node.kind === "map"
    ? node.entries.every(({ value }) => isEmpty(value))
    : node.items.length === 0;
}

function withoutPlaces(node: ConfigNode): ConfigNode {
  if (node.kind === "scalar") return node;
  const { after: _, ...rest } = node;
  return rest;
}

function readPart(root: ConfigNode, number: number, file: string): PatchPart {
  const subject = `patch "${file}"`;
  if (root.kind !== "map") {
    throw new ConfigError(
      `Cannot use ${subject}: its document ${number} is not a mapping`,
      {
        hint:
          "A patch is one or more partial documents, or one list of operations (RFC 6902)",
      },
    );
  }
  const target = identify(root, number);
  if ("message" in target) throw new DocumentsError(subject, [target]);
  const directives = readDirectives(withoutEmptyComments(root));
  if (directives.document === "delete" && target.kind === mainKind) {
    throw new ConfigError(
      `Cannot use ${subject}: the main document cannot be deleted`,
      { hint: "Put $patch: delete below the key to delete" },
    );
  }
  const { root: rest } = directives;
  if (target.schema === undefined) {
    refuse(subject, findProblems(target));
  } else if (rest !== undefined) {
    refuse(subject, conform(rest, findFields(target.schema)).problems);
  }
  return { ...directives, target };
}
