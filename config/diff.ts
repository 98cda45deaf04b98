/** Differences between two configurations, document by document. */

import { ConfigError } from "../errors.ts";
import { canonical } from "./documents/encode.ts";
import {
  type ConfigDocument,
  findFields,
  formatIdentity,
  isSame,
  mainKind,
} from "./documents/load.ts";
import { formatMark, hideAll, type Mark, redact } from "./documents/redact.ts";
import { derivePatch } from "./patches/derive.ts";
import {
  type ConfigNode,
  type MapNode,
  toTree,
  withoutComments,
} from "./tree/node.ts";
import { readDocuments } from "./tree/read.ts";
import { sameValue } from "./tree/resolve.ts";
import { unifiedDiff } from "./text_diff.ts";
import { writeDocuments } from "./tree/write.ts";

export { unifiedDiff as unified } from "./text_diff.ts";

/** A changed document. */
export interface DocumentChange {
  /** `Kind` or `Kind/name`. */
  readonly identity: string;
  readonly change: "added" | "removed" | "changed";
  /** Unified diff of the canonical texts, limited to values known to be harmless; without file headers. */
  readonly diff: string;
}

/**
 * Compares two configurations.
 *
 * Ignores comments and the order of keys and documents.
 */
export function diffDocuments(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): readonly DocumentChange[] {
  const parts = diffInParts(from, to);
  let part = parts.next();
  while (!part.done) part = parts.next();
  return part.value;
}

/** {@linkcode diffDocuments} in parts, with points where signals are handled: large documents take long. */
export function* diffInParts(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): Generator<void, readonly DocumentChange[]> {
  const changes: DocumentChange[] = [];
  for (const old of from) {
    const now = to.find((document) => isSame(document, old));
    if (now !== undefined && isEqual(old, now)) continue;
    yield;
    const change = now === undefined ? "removed" : "changed";
    const diff = yield* compareDocuments(old, now);
    changes.push({ identity: formatIdentity(old), change, diff });
  }
  for (const document of to) {
    if (from.some((old) => isSame(document, old))) continue;
    const diff = yield* compareDocuments(undefined, document);
    changes.push({ identity: formatIdentity(document), change: "added", diff });
  }
  return changes;
}

/**
 * Creates the patch that turns one configuration into the other. Returns YAML; empty without a difference.
 * Throws `ConfigError` if the main document is missing in the second: no patch can remove it.
 */
export function patchBetween(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): string {
  const parts: ConfigNode[] = [];
  for (const old of from) {
    const now = to.find((document) => isSame(document, old));
    if (now === undefined) parts.push(removal(old));
    else parts.push(...partBetween(old, now));
  }
  for (const document of to) {
    if (from.some((old) => isSame(document, old))) continue;
    parts.push(toRoot(document));
  }
  return parts.length === 0 ? "" : writeDocuments(parts);
}

function removal(document: ConfigDocument): ConfigNode {
  if (document.kind === mainKind) {
    throw new ConfigError(
      "Cannot make a patch that removes the main document",
      { hint: "Compare files that both have machine and cluster" },
    );
  }
  return toTree({ ...identityEntries(document), $patch: "delete" });
}

function identityEntries({ kind, apiVersion, name }: ConfigDocument) {
  if (kind === mainKind) return {};
  return { apiVersion, kind, name };
}

function partBetween(old: ConfigDocument, now: ConfigDocument): ConfigNode[] {
  const fields = now.schema && findFields(now.schema);
  const derived = derivePatch(toRoot(old), toRoot(now), fields);
  if (derived === undefined) return [];
  const identity = toTree(identityEntries(now));
  const own = identity.kind === "map" ? identity.entries : [];
  const keys = new Set(own.map(({ key }) => key));
  const rest = derived.filter(({ key }) => !keys.has(key));
  return [{ kind: "map", entries: [...own, ...rest] }];
}

function isEqual(a: ConfigDocument, b: ConfigDocument): boolean {
  return sameValue(toRoot(a), toRoot(b));
}

// Empty values are kept if they have comments, so comments are removed first.
function toRoot(document: ConfigDocument): MapNode {
  const root = withoutComments(document.root);
  const node = canonical({ ...document, root });
  return node.kind === "map" ? node : root;
}

/** Formats a configuration, limited to values known to be harmless. Returns YAML. */
export function redactedText(documents: readonly ConfigDocument[]): string {
  return writeDocuments(
    documents.map((document) =>
      redact(toRoot(document), document.schema && findFields(document.schema))
    ),
  );
}

/**
 * Compares two texts of unknown kind; only their keys are known to be harmless. Returns a unified diff, without file
 * headers; empty without a difference. Yields where signals are handled. Throws `ConfigError` if either is not YAML.
 */
export function* diffUnknown(
  from: string,
  to: string,
  name: string,
): Generator<void, string> {
  const old = readDocuments(from, name);
  yield;
  const now = readDocuments(to, name);
  yield;
  return yield* diffBetween(
    (mark) => allHidden(old, mark),
    (mark) => allHidden(now, mark),
  );
}

function allHidden(
  { documents }: ReturnType<typeof readDocuments>,
  mark: Mark,
): string {
  return writeDocuments(
    documents.map(({ root }) => hideAll(root, "", mark, "unknown")),
  );
}

function compareDocuments(
  old: ConfigDocument | undefined,
  now: ConfigDocument | undefined,
): Generator<void, string> {
  return diffBetween(
    old && ((mark) => maskDocument(old, mark)),
    now && ((mark) => maskDocument(now, mark)),
  );
}

function* diffBetween(
  old: ((mark: Mark) => string) | undefined,
  now: ((mark: Mark) => string) | undefined,
): Generator<void, string> {
  const known = new Map<string, string>();
  const before = old?.((path, text, why) => {
    known.set(path, text);
    return formatMark(text, why);
  });
  yield;
  // A changed value must not look unchanged.
  const after = now?.((path, text, why) => {
    const was = known.get(path);
    const isNew = was !== undefined && was !== text;
    return formatMark(text, why, isNew ? "changed" : undefined);
  });
  yield;
  const diff = unifiedDiff(before ?? "", after ?? "");
  yield;
  return diff;
}

function maskDocument(document: ConfigDocument, mark: Mark): string {
  const fields = document.schema && findFields(document.schema);
  return writeDocuments([redact(toRoot(document), fields, mark)]);
}
