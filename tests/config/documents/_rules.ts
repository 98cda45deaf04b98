/** Runs the rules of a kind of document on plain values. */

import assert from "node:assert/strict";
import { toCursor } from "../../../config/documents/cursor.ts";
import type { DocumentKind } from "../../../config/documents/schema.ts";
import { type Plain, toTree } from "../../../config/tree/node.ts";

/** A document, and what is expected of its rules. */
export interface RuleCase {
  readonly title: string;
  /** The document without `apiVersion` and `kind`. */
  readonly value: Plain;
  /** Problems as `path: message`; warnings begin with `warning`. */
  readonly problems: readonly string[];
}

/**
 * Declares a test for every case.
 *
 * @param kind Kind of the documents.
 * @param cases At least one that is right and one that is not.
 */
export function testRules(
  kind: DocumentKind,
  cases: readonly RuleCase[],
): void {
  for (const { title, value, problems } of cases) {
    Deno.test(`${kind.kind}: ${title}`, () => {
      assert.deepEqual(findProblems(kind, value), problems);
    });
  }
}

export function findProblems(
  kind: DocumentKind,
  value: Plain,
): readonly string[] {
  const found = [...kind.rules?.(toCursor(toTree(value))) ?? []];
  for (const { message, hint } of found) {
    assert.match(message, /^["A-Z].*[^.]$/);
    assert.match(hint ?? "", /^["A-Z].*[^.]$/, "every problem has a hint");
  }
  return found.map(({ level, path, message }) =>
    `${level === "warning" ? "warning " : ""}${path}: ${message}`
  );
}
