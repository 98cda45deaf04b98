/** Predicts whether a node accepts a configuration, as far as possible without one. */

import { toCursor } from "./documents/cursor.ts";
import {
  type ConfigDocument,
  type DocumentProblem,
  findFields,
  type Loaded,
  mainKind,
  within,
} from "./documents/load.ts";
import type { Problem } from "./documents/problem.ts";
import {
  expressionsIn,
  missingFields,
  unknownTo,
} from "./documents/requirements.ts";
import { isOlderMinor } from "../lib/version.ts";
import type { DocumentKind, OsVersion } from "./documents/schema.ts";
import { checkExpression } from "./document_cel/check.ts";
import type { RuleContext, RuntimeMode } from "./rules/context.ts";
import { crossDocumentRules } from "./rules/cross_document.ts";
import { v1alpha1Rules } from "./rules/v1alpha1.ts";
import type { ConfigNode, Place } from "./tree/node.ts";

/** Validation options. */
export interface ValidateOptions {
  readonly mode: RuntimeMode;
  /** OS version that must know every key; default the first that knows all kinds. */
  readonly osVersion?: OsVersion;
  /** Original text of the documents, for the columns of errors in expressions. */
  readonly source?: string;
}

/** Checks a configuration against all rules that need no node. Returns every problem, in document and line order. */
export function validateDocuments(
  { documents, problems }: Loaded,
  options: ValidateOptions,
): readonly DocumentProblem[] {
  if (documents.length === 0 && problems.length === 0) return [nothing];
  const context: RuleContext = {
    mode: options.mode,
    version: options.osVersion ?? findVersion(documents),
    documents: documents.map((document) => ({
      ...document,
      cursor: toCursor(document.root),
    })),
  };
  const lines = splitLines(options.source ?? "");
  const found = Map.groupBy(problems, ({ document }) => document);
  for (const document of documents) {
    const early = found.get(document.number) ?? [];
    const { version } = context;
    const late = checkRules(document, context, { ...options, lines, version });
    found.set(document.number, [...early, ...news(late, early, document)]);
  }
  return [...found].sort(([a], [b]) => a - b)
    .flatMap(([, some]) => some.sort(byPlace));
}

/** The first version that knows all kinds, at least 1.12. */
function findVersion(documents: readonly ConfigDocument[]): OsVersion {
  return documents.flatMap(({ schema }) => schema?.since ?? [])
    .reduce((a, b) => isOlderMinor(a, b) ? b : a, "1.12");
}

const nothing: DocumentProblem = {
  level: "error",
  path: "",
  message: "There is no document",
  hint: "Give a machine configuration",
  document: 1,
  identity: "",
};

interface Options extends ValidateOptions {
  readonly version: OsVersion;
  readonly lines: () => readonly string[];
}

/** Lines of a text, split on first use. */
function splitLines(text: string): () => readonly string[] {
  let lines: readonly string[] | undefined;
  return () => lines ??= text.split(/\r\n?|\n/);
}

function* checkRules(
  document: ConfigDocument,
  context: RuleContext,
  options: Options,
): Iterable<Problem> {
  const { schema, root } = document;
  if (schema === undefined) return;
  yield* checks(document, schema, options);
  if (schema.kind !== mainKind) return;
  yield* v1alpha1Rules(toCursor(root), context);
  yield* crossDocumentRules(context);
}

/** New problems: not yet reported, and not about a value of the wrong shape. */
function news(
  problems: Iterable<Problem>,
  known: readonly Problem[],
  document: ConfigDocument,
): readonly DocumentProblem[] {
  const wrong = new Set(known.map(({ path }) => path));
  return distinct([...problems])
    .map((problem) => within(document, problem))
    .filter(({ path }) => !isInside(path, wrong));
}

/** A rule may repeat a check of the field's description. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ path, message }) => {
    const key = `${path}: ${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

function* checks(
  { root }: ConfigDocument,
  schema: DocumentKind,
  { osVersion, lines, version }: Options,
): Iterable<Problem> {
  const cursor = toCursor(root);
  const fields = findFields(schema);
  const { since } = schema;
  if (osVersion !== undefined && since && isOlderMinor(osVersion, since)) {
    yield cursor.get("kind").error(
      `Version ${osVersion} does not support ${schema.kind}`,
      `It is supported since ${since}`,
    );
  } else if (osVersion !== undefined) {
    yield* unknownTo(cursor, fields, osVersion);
  }
  if (
    schema.named && !schema.nameless && (cursor.get("name").text() ?? "") === ""
  ) {
    yield cursor.get("name").error(
      '"name" is missing',
      "Give the document a name",
    );
  }
  yield* missingFields(cursor, fields);
  yield* schema.rules?.(cursor, version) ?? [];
  for (
    const { cursor: place, text, environment } of expressionsIn(cursor, fields)
  ) {
    const fault = checkExpression(text, environment);
    if (fault === undefined) continue;
    const { message, hint, offset } = fault;
    const at = placeInside(place.node, offset, lines) ?? place.at;
    yield {
      ...place.error(message, hint),
      at,
    };
  }
}

/** Position of a character of a text; `undefined` unless the file contains the text verbatim. */
function placeInside(
  node: ConfigNode | undefined,
  offset: number,
  lines: () => readonly string[],
): Place | undefined {
  if (node?.kind !== "scalar" || node.at === undefined) return undefined;
  const { text, at } = node;
  const line = lines()[at.line - 1] ?? "";
  const start = at.column - 1;
  const quote = /["']/.exec(line.charAt(start))?.[0] ?? "";
  return line.startsWith(quote + text + quote, start)
    ? { ...at, column: at.column + quote.length + offset }
    : undefined;
}

/** Reports whether a path or one of its parents is in a set. */
function isInside(path: string, others: ReadonlySet<string>): boolean {
  if (others.has(path)) return true;
  for (let at = 1; others.size > 0 && at < path.length; at++) {
    const ends = path[at] === "." || path[at] === "[";
    if (ends && others.has(path.slice(0, at))) return true;
  }
  return false;
}

function byPlace({ at: a }: Problem, { at: b }: Problem): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}
