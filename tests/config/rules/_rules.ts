/** Running rules over a text. */

import assert from "node:assert/strict";
import { type Cursor, toCursor } from "../../../config/documents/cursor.ts";
import type { Problem } from "../../../config/documents/problem.ts";
import type {
  RuleContext,
  RuntimeMode,
} from "../../../config/rules/context.ts";
import { readDocuments } from "../../../config/tree/read.ts";

/** Rules of one area. */
export type Rules = (root: Cursor, context: RuleContext) => Iterable<Problem>;

export type Row = readonly [
  name: string,
  text: string,
  expected: readonly string[],
  mode?: RuntimeMode,
];

/**
 * Documents of a text with their kinds and names.
 *
 * @param text YAML.
 * @param mode Where the node runs.
 */
export function ruleContext(text: string, mode: RuntimeMode): RuleContext {
  const documents = readDocuments(text, "f").documents.map(({ root }) => {
    const cursor = toCursor(root);
    const name = cursor.get("name").text();
    return {
      kind: cursor.get("kind").text() ?? "v1alpha1",
      ...(name === undefined ? {} : { name }),
      cursor,
    };
  });
  return { mode, version: "1.12", documents };
}

/** Problems as `LEVEL PATH: MESSAGE`; each must have a hint and a place. */
export function formatProblems(problems: Iterable<Problem>): string[] {
  return [...problems].map(({ level, path, message, hint, at }) => {
    assert.match(hint ?? "", /^[A-Z].*[^.]$/);
    assert.ok(at, `${path} has no place`);
    return `${level} ${path}: ${message}`;
  });
}

/**
 * Makes a test of every row.
 *
 * @param subject What is tested, first word of the names.
 * @param rules Rules of one area.
 * @param rows The mode is `metal` unless a row says otherwise.
 */
export function testRules(
  subject: string,
  rules: Rules,
  rows: readonly Row[],
): void {
  for (const [name, text, expected, mode = "metal"] of rows) {
    Deno.test(`${subject} ${name}`, () => {
      const context = ruleContext(text, mode);
      const root = context.documents[0]?.cursor ??
        toCursor({ kind: "map", entries: [] });
      assert.deepEqual(formatProblems(rules(root, context)), expected);
    });
  }
}
