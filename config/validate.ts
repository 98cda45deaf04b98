/** Whether a node would accept a configuration, as far as that can be told without one. */

import { cursorOf } from "./documents/cursor.ts";
import {
  type ConfigDocument,
  type DocumentProblem,
  fieldsOf,
  type Loaded,
  mainKind,
  within,
} from "./documents/load.ts";
import type { Problem } from "./documents/problem.ts";
import {
  expressionsIn,
  isBefore,
  missingFields,
  unknownTo,
} from "./documents/requirements.ts";
import type { DocumentKind, OsVersion } from "./documents/schema.ts";
import { checkExpression } from "./expressions/check.ts";
import type { RuleContext, RuntimeMode } from "./rules/context.ts";
import { crossDocumentRules } from "./rules/cross_document.ts";
import { v1alpha1Rules } from "./rules/v1alpha1.ts";

/** How a configuration is checked. */
export interface ValidateOptions {
  /** Where it will be used. */
  readonly mode: RuntimeMode;
  /** Version of the operating system that has to know every key; default the newest. */
  readonly osVersion?: OsVersion;
}

/**
 * Checks a configuration against all rules that need no node.
 *
 * @param loaded Documents, and what was wrong with them already.
 * @param options Where it will be used.
 * @returns Every problem, in the order of the documents.
 */
export function validateDocuments(
  { documents, problems }: Loaded,
  options: ValidateOptions,
): readonly DocumentProblem[] {
  const context: RuleContext = {
    mode: options.mode,
    documents: documents.map((document) => ({
      ...document,
      cursor: cursorOf(document.root),
    })),
  };
  const found = documents.flatMap((document) => {
    const { number, schema } = document;
    const early = problems.filter((problem) => problem.document === number);
    if (schema === undefined) return early;
    const root = cursorOf(document.root);
    const main = schema.kind === mainKind
      ? [...v1alpha1Rules(root, context), ...crossDocumentRules(context)]
      : [];
    const late = distinct([...checks(document, schema, options), ...main])
      .filter(({ path }) => !early.some((known) => isAround(known.path, path)));
    const all = [...early, ...late.map((problem) => within(document, problem))];
    return all.sort(byPlace);
  });
  const numbers = new Set(documents.map(({ number }) => number));
  const outside = problems.filter(({ document }) => !numbers.has(document));
  return [...outside, ...found];
}

/** A rule may say what the description of the field says already. */
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
  { osVersion }: ValidateOptions,
): Iterable<Problem> {
  const cursor = cursorOf(root);
  const fields = fieldsOf(schema);
  const { since } = schema;
  if (osVersion !== undefined && since && isBefore(osVersion, since)) {
    yield cursor.get("kind").error(
      `Version ${osVersion} does not know ${schema.kind}`,
      `It is known since ${since}`,
    );
  } else if (osVersion !== undefined) {
    yield* unknownTo(cursor, fields, osVersion);
  }
  if (schema.named && (cursor.get("name").text() ?? "") === "") {
    yield cursor.get("name").error(
      '"name" is missing',
      "Give the document a name",
    );
  }
  yield* missingFields(cursor, fields);
  yield* schema.rules?.(cursor) ?? [];
  for (
    const { cursor: at, text, environment } of expressionsIn(cursor, fields)
  ) {
    const fault = checkExpression(text, environment);
    if (fault !== undefined) yield at.error(fault.message, fault.hint);
  }
}

/** Where a value is no value of its kind, what rules say about it or its parts is no news. */
function isAround(outer: string, inner: string): boolean {
  return inner.startsWith(outer) && /^($|[.[])/.test(inner.slice(outer.length));
}

function byPlace({ at: a }: Problem, { at: b }: Problem): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}
