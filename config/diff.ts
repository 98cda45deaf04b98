/** What is different between two configurations, document by document. */

import { structuredPatch } from "diff";
import { ConfigError } from "../errors.ts";
import { canonical } from "./documents/encode.ts";
import {
  type ConfigDocument,
  fieldsOf,
  identityOf,
  isSame,
  mainKind,
} from "./documents/load.ts";
import { hideAll, type Mark, markOf, redact } from "./documents/redact.ts";
import { derivePatch } from "./patches/derive.ts";
import {
  type ConfigNode,
  type MapNode,
  treeOf,
  uncommented,
} from "./tree/node.ts";
import { readDocuments } from "./tree/read.ts";
import { sameValue } from "./tree/resolve.ts";
import { writeDocuments } from "./tree/write.ts";

/** One document that is different. */
export interface DocumentChange {
  /** `Kind` or `Kind/name`. */
  readonly identity: string;
  /** What happened to it. */
  readonly change: "added" | "removed" | "changed";
  /** Unified diff of the canonical texts, with only what is known to be harmless; without file headers. */
  readonly diff: string;
}

/**
 * Compares two configurations.
 *
 * Comments, the order of keys and the order of documents do not count.
 */
export function diffDocuments(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): readonly DocumentChange[] {
  const changed = from.flatMap((old): DocumentChange[] => {
    const now = to.find((document) => isSame(document, old));
    if (now !== undefined && isEqual(old, now)) return [];
    const change = now === undefined ? "removed" : "changed";
    return [{ identity: identityOf(old), change, diff: diffOf(old, now) }];
  });
  const added = to.filter((document) =>
    !from.some((old) => isSame(document, old))
  );
  return [
    ...changed,
    ...added.map((document) => ({
      identity: identityOf(document),
      change: "added" as const,
      diff: diffOf(undefined, document),
    })),
  ];
}

/**
 * Makes the patch that turns one configuration into the other. Returns YAML; empty when nothing is
 * different. Throws `ConfigError` if the main document is to be removed, which no patch can say.
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
    parts.push(rootOf(document));
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
  return treeOf({ ...identityEntries(document), $patch: "delete" });
}

function identityEntries({ kind, apiVersion, name }: ConfigDocument) {
  if (kind === mainKind) return {};
  return { apiVersion, kind, name };
}

function partBetween(old: ConfigDocument, now: ConfigDocument): ConfigNode[] {
  const fields = now.schema && fieldsOf(now.schema);
  const derived = derivePatch(rootOf(old), rootOf(now), fields);
  if (derived === undefined) return [];
  const identity = treeOf(identityEntries(now));
  const own = identity.kind === "map" ? identity.entries : [];
  const keys = new Set(own.map(({ key }) => key));
  const rest = derived.filter(({ key }) => !keys.has(key));
  return [{ kind: "map", entries: [...own, ...rest] }];
}

function isEqual(a: ConfigDocument, b: ConfigDocument): boolean {
  return sameValue(rootOf(a), rootOf(b));
}

// Empty values stay where something is said about them, so comments go first.
function rootOf(document: ConfigDocument): MapNode {
  const root = uncommented(document.root);
  const node = canonical({ ...document, root });
  return node.kind === "map" ? node : root;
}

/** Writes a configuration with only what is known to be harmless. Returns YAML. */
export function redactedText(documents: readonly ConfigDocument[]): string {
  return writeDocuments(
    documents.map((document) =>
      redact(rootOf(document), document.schema && fieldsOf(document.schema))
    ),
  );
}

/**
 * Compares two texts of which nothing but their keys is known to be harmless. Returns a unified diff,
 * without file headers; empty when nothing is different. Throws `ConfigError` if one of them is no
 * YAML.
 */
export function diffUnknown(from: string, to: string, name: string): string {
  const [old, now] = [from, to].map((text) => readDocuments(text, name));
  return diffBetween(
    (mark) => allHidden(old, mark),
    (mark) => allHidden(now, mark),
  );
}

function allHidden(
  { documents = [] }: Partial<ReturnType<typeof readDocuments>> = {},
  mark: Mark,
): string {
  return writeDocuments(
    documents.map(({ root }) => hideAll(root, "", mark, "unknown")),
  );
}

function diffOf(
  old: ConfigDocument | undefined,
  now: ConfigDocument | undefined,
): string {
  return diffBetween(
    old && ((mark) => hidden(old, mark)),
    now && ((mark) => hidden(now, mark)),
  );
}

function diffBetween(
  old: ((mark: Mark) => string) | undefined,
  now: ((mark: Mark) => string) | undefined,
): string {
  const known = new Map<string, string>();
  const before = old?.((path, text, why) => {
    known.set(path, text);
    return markOf(text, why);
  });
  // What became another value must not look as if nothing happened.
  const after = now?.((path, text, why) => {
    const was = known.get(path);
    const isNew = was !== undefined && was !== text;
    return markOf(text, why, isNew ? "changed" : undefined);
  });
  return unified(before ?? "", after ?? "");
}

function hidden(document: ConfigDocument, mark: Mark): string {
  const fields = document.schema && fieldsOf(document.schema);
  return writeDocuments([redact(rootOf(document), fields, mark)]);
}

/** Most lines that a small difference is looked for in; the time for it grows with their square, and nothing interrupts it. */
const mostChanges = 2_000;

/**
 * Compares two texts line by line; where more than 2,000 lines differ, the one as a whole takes the
 * place of the other. Returns the hunks of a unified diff with three lines of context, without file
 * headers; empty when nothing is different.
 */
export function unified(from: string, to: string): string {
  const hunks = structuredPatch("", "", from, to, "", "", {
    context: 3,
    maxEditLength: mostChanges,
  })?.hunks ?? [replacement(from, to)];
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const old = rangeOf(oldStart, oldLines);
    const now = rangeOf(newStart, newLines);
    return `${[`@@ -${old} +${now} @@`, ...lines].join("\n")}\n`;
  }).join("");
}

/** A hunk that takes all lines away and adds all others. */
function replacement(from: string, to: string) {
  const [old, now] = [linesOf("-", from), linesOf("+", to)];
  const counted = (lines: readonly string[]) =>
    lines.filter((line) => !line.startsWith("\\")).length;
  return {
    ...{ oldStart: 1, oldLines: counted(old) },
    ...{ newStart: 1, newLines: counted(now) },
    lines: [...old, ...now],
  };
}

function linesOf(sign: string, text: string): readonly string[] {
  const lines = text.split("\n").map((line) => `${sign}${line}`);
  const [last = ""] = lines.splice(-1);
  return last === sign
    ? lines
    : [...lines, last, "\\ No newline at end of file"];
}

// No lines stand behind the line before them.
function rangeOf(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}
