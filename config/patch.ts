/** Configuration patches: strategic merge and JSON patches. */

import { ConfigError } from "../errors.ts";
import { canonical, encodeDocuments } from "./documents/encode.ts";
import {
  clashes,
  type ConfigDocument,
  findFields,
  findProblems,
  formatIdentity,
  identify,
  isHollow,
  isSame,
  keptText,
  loadDocuments,
  mainKind,
  registerSecrets,
} from "./documents/load.ts";
import { requireConfiguration } from "./documents/require_configuration.ts";
import { conform } from "./documents/conform.ts";
import {
  DocumentsError,
  faultText,
  type Problem,
  refuse,
} from "./documents/problem.ts";
import { remove, stepsText } from "./patches/directives.ts";
import {
  applyOperation,
  formatPointer,
  type PatchOperation,
  replacesNothing,
} from "./patches/json_patch.ts";
import { mergeRoots } from "./patches/merge.ts";
import type { Patch, PatchPart } from "./patches/read_patch.ts";
import type { MapNode } from "./tree/node.ts";
import { sameValue } from "./tree/resolve.ts";

export {
  type Patch,
  type PatchPart,
  readPatch,
  toPatch,
} from "./patches/read_patch.ts";

interface PatchedDocuments {
  readonly documents: readonly ConfigDocument[];
  /** Notes for the user: extended lists, missing targets. */
  readonly notes: readonly string[];
  /** False if nothing changed. */
  readonly changed: boolean;
}

/**
 * Applies patches in order. Throws `ConfigError` if an operation has no target, or the
 * result has conflicting documents.
 */
export function applyPatches(
  documents: readonly ConfigDocument[],
  patches: readonly Patch[],
): PatchedDocuments {
  const notes: string[] = [];
  let result = documents;
  let changes = 0;
  for (const patch of patches) {
    const before = result;
    result = patch.kind === "json"
      ? operateAll(result, patch.operations, notes)
      : patch.parts.reduce(
        (all, part) => applyPart(all, part, notes),
        result,
      );
    if (!sameDocuments(before, result)) changes++;
    else notes.push(`patch "${patch.file}" changes nothing`);
  }
  for (const document of result) registerSecrets(document);
  refuse("the patched configuration", [...clashes(result)]);
  // Changes may cancel each other out.
  const changed = changes > 1
    ? !sameDocuments(documents, result)
    : changes === 1;
  return { documents: result, notes, changed };
}

/**
 * Patches the text of a configuration. Returns the new text, and notes for the user. Without
 * a change the text is returned unchanged, byte for byte. Unknown keys and values are
 * reported and kept. Throws `ConfigError` like {@linkcode applyPatches} and {@linkcode loadDocuments}.
 */
export function patchText(
  text: string,
  file: string,
  patches: readonly Patch[],
): { readonly text: string; readonly notes: readonly string[] } {
  const loaded = loadDocuments(text, file);
  requireConfiguration(loaded, file);
  const { documents, notes, changed } = applyPatches(loaded.documents, patches);
  const left = new Set(documents.flatMap(findProblems).map(faultText));
  return {
    text: changed ? encodeDocuments(documents) : text,
    notes: [
      ...loaded.problems.filter((problem) => left.has(faultText(problem)))
        .map(keptText),
      ...notes,
    ],
  };
}

function applyPart(
  documents: readonly ConfigDocument[],
  part: PatchPart,
  notes: string[],
): readonly ConfigDocument[] {
  const { target, root: rest } = part;
  const old = documents.find((document) => isSame(document, target));
  if (part.document === "delete") {
    if (old === undefined) notes.push(missing(formatIdentity(target)));
    return documents.filter((document) => document !== old);
  }
  const base = part.document === "replace" ? undefined : old;
  const root = withoutRemoved(base, part, notes);
  if (rest === undefined) {
    return put(documents, old, root && { ...target, root });
  }
  if (root === undefined || base === undefined) {
    if (old === undefined && target.schema === undefined) {
      notes.push(
        `the kind "${target.kind}" is unknown; it is added unchanged`,
      );
    }
    const saysNothing = part.removals.length > 0 &&
      isHollow({ ...target, root: rest });
    if (old === undefined && saysNothing) return documents;
    return put(documents, old, { ...target, root: rest });
  }
  const fields = target.schema && findFields(target.schema);
  const merged = mergeRoots(root, rest, fields);
  for (const { path, count } of merged.appended) {
    const where = placeIn(target, path);
    notes.push(`${where}: ${count} appended to the existing list`);
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
      notes.push(missing(placeIn(target, stepsText(path))));
    }
    root = without ?? root;
  }
  return root;
}

function placeIn(document: ConfigDocument, path: string): string {
  return document.kind === mainKind
    ? path
    : `${path} in ${formatIdentity(document)}`;
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

function operateAll(
  documents: readonly ConfigDocument[],
  operations: readonly PatchOperation[],
  notes: string[],
): readonly ConfigDocument[] {
  const result = operations.reduce(
    (all, operation) => operate(all, operation, notes),
    documents,
  );
  // Intermediate documents may be invalid.
  const problems = result.flatMap(({ root, schema }, index) =>
    schema === undefined || documents[index]?.root === root
      ? []
      : newIn(conform(root, findFields(schema)).problems, documents[index])
  );
  refuse("the result of the JSON patch", problems);
  return result;
}

/** Problems that a patch introduced. */
function newIn(
  problems: readonly Problem[],
  before: ConfigDocument | undefined,
): readonly Problem[] {
  const known = new Set(before && findProblems(before).map(faultText));
  return problems.filter((problem) => !known.has(faultText(problem)));
}

function operate(
  documents: readonly ConfigDocument[],
  operation: PatchOperation,
  notes: string[],
): readonly ConfigDocument[] {
  const [first, ...others] = documents;
  const usual = first === undefined || others.length > 0
    ? mainKind
    : formatIdentity(first);
  const wanted = operation.document ?? usual;
  const old = documents.find((document) => formatIdentity(document) === wanted);
  if (old === undefined) {
    throw new ConfigError(
      `Cannot apply JSON patch: there is no document ${wanted}`,
      {
        hint: `Name one of ${
          documents.map(formatIdentity).join(", ")
        } with "document" in the operation`,
      },
    );
  }
  if (replacesNothing(old.root, operation)) {
    const where = placeIn(old, formatPointer(operation));
    notes.push(`nothing to replace, so added: ${where}`);
  }
  const made = identify(applyOperation(old.root, operation), old.number);
  if ("message" in made) {
    throw new DocumentsError("the result of the JSON patch", [made]);
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
